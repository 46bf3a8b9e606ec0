"""The tasks that lm-eval after 0.4.13 finds by entry point; :mod:`..task_files` writes them."""
