"""Further configurations: the hard split, rungs, and the few questions that stand for all."""
