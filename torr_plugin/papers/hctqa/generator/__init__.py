"""Human-centric tables with questions, SQL and answers that hold by construction.

In: semantics, table templates and question templates as JSON (HCT-QA, Appendix C), a seed, how many tables.
Out: a table as people lay it out, the relational table behind it, questions with their SQL and answers, and
the properties of both. Equal on every machine; a table does not depend on those before it.
"""
