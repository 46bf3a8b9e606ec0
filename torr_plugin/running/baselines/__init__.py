"""Models without weights to compare others with: what matching words, or no reading at all, achieves.

In: the text of a prompt, as any model gets it. Out: an answer. ``lm`` makes lm-eval models of them.
"""
