"""What every stage may use, one of each: errors, the registry, seeds, atomic files, redaction."""
