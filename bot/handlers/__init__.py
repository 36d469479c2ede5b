"""bot.handlers."""
