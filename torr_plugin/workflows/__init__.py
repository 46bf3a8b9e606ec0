"""What commands do across stages: a study, a synthetic study, a budget, properties, what is installed."""
