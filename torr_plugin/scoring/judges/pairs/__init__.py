"""A model as judge of pairs: which of two models' answers to a question is better (TableQuest, appendix A).

In: a run, and any of lm-eval's models as judge. Out: battles, a row a verdict, in
``RUN/judged/<judge>/battles.parquet``, and those of all judges in ``RUN/battles.parquet``.
"""
