"""What every stage builds on: errors, registries, seeds, atomic files, validation, redaction."""
