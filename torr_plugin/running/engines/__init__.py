"""How a loaded model of lm-eval generates: by its own ``generate_until``, or by the engine inside it.

In: contexts. Out: texts with what the engine says about them. One loop drives them all:
:class:`torr_plugin.running.loaded_model.Model`.
"""
