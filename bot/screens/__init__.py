"""Rows → text, card, buttons, media. Pure but for ``render.py``, which asks the queries."""
