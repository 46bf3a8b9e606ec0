"""An instance laid out: as people read it, as a relational table, back again, and its properties."""
