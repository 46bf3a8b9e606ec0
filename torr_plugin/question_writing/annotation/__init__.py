"""Questions about tables by models, answers by vote (RealHiTBench, section 3.4 and appendix B).

In: a folder of tables and models by their roles. Out: a directory with every reply, and files for reviewers;
from a review, a data set as ``torr data make`` makes it.
"""
