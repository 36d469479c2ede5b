"""Telegram: updates → our payload, Outbound → Bot API calls. The only place that knows aiogram."""
