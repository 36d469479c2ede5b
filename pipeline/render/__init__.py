"""Script → text for the ear → segments → one programme with cues; transcript."""
