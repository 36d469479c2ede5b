"""Wire format ↔ Outbound. A channel decides nothing and knows no other channel."""
