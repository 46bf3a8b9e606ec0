"""Questions about documents by models, filtered by a second (TableQuest, section 2, appendices A, B and F).

In: documents and models by their roles. Out: a folder with every reply, the questions, and files for
reviewers; from a review, a mirror that the cards of TableQuest read.
"""
