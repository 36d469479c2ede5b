"""bot.texts."""
