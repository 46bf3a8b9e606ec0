"""How far rankings of the models agree: between data sets, configurations, and draws of both.

``rankings`` and ``concordance`` have the arithmetic (ranks with ties, Kendall's W), ``denoise`` intervals.
``dataset_agreement`` has tau-b, ``configuration_agreement`` W over single configurations, ``reliability`` and
``reliability_curves`` W over draws; ``rank_agreement`` gathers the figures.
"""
