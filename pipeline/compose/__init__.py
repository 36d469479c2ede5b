"""Evidence pack → script, or an honest refusal."""
