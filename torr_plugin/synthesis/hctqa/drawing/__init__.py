"""Chance: which layouts there are, in which order they are taken, and what is drawn for one table."""
