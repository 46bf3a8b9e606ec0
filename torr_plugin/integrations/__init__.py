"""Studies inside other harnesses (unitxt, lm-eval and HELM), and imports of their results as runs.

In: a recipe's name. Out: tasks, recipes and run specs of each harness, which ask what ``torr run`` asks and
rate it as ``torr run`` does. The other way, ``importing`` makes a run directory of what a harness wrote.
"""
