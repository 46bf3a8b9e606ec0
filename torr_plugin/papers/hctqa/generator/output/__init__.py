"""What is written of a generated set: Parquet, a file a table, fine-tuning sets."""
