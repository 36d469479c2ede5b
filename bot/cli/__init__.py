"""bot.cli."""
