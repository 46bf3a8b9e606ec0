"""A run on disk: requests, answers, results, the manifest, the lock; written so that a kill loses nothing.

:class:`.run.Run` is the whole. ``shards`` are its requests and answers in Parquet; ``manifest`` is
study.yaml; ``lock`` admits one writer; ``joining`` is about several runs.
"""
