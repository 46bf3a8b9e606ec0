"""What properties of tables and questions do to scores, each with the others held fixed: least squares."""
