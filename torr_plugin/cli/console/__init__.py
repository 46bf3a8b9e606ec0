"""What the commands show a person: tables, reports, progress."""
