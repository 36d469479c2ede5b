"""bot.screens."""
