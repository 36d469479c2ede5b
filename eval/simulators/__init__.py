"""Outside worlds that tests and benches share: the web, paid speech, Telegram; and the running product itself."""
