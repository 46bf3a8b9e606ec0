"""Where a run stands, read from its directory at any time, by another process too."""
