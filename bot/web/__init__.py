"""bot.web."""
