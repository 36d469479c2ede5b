"""bot.channels."""
