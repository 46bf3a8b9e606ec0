"""The status of a run, read from its directory at any time, by another process too."""
