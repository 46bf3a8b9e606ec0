"""The schema of a card file: every key with its type; unknown keys are refused.

The file is read here and by unitxt alike; :mod:`torr_plugin.integrations.unitxt.artifacts` has the unitxt
classes of the same names.
"""
