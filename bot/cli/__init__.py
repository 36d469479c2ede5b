"""The commands of ``earmark``."""
