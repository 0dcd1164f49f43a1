"""The tasks: one package each, with its items, its options, its scoring and its part of the report.

No task knows another one. `blend.eval.registry` knows them all.
"""
