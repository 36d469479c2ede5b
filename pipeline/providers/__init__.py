"""Adapters ``<ability>_<vendor>.py`` behind the ports; each ability ships a fake that counts its calls."""
