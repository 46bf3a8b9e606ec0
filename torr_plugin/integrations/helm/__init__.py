"""Studies inside HELM: run specs ``torr:...``, run entries of whole studies, their figures with holes shown.

In: a run entry. Out: what HELM runs. ``run_specs`` is HELM's entry point; the modules that import HELM
are imported by it, or by HELM through the names of their classes, and by nothing else.
"""
