"""Every user-visible string, zh-CN and en side by side, by noun."""
