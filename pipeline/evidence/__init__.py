"""Text → chunks and search tokens; rankings → a budgeted pack."""
