"""Models without weights, to measure others against: what can be had without reading or by matching words.

In: the text of a prompt, as any model gets it. Out: an answer. ``lm`` makes lm-eval models of them.
"""
