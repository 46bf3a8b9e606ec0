"""HCT-QA's own figures: what properties of tables and questions cost, and how many values answers give."""
