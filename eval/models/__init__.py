"""Models: prompts go in, texts or log-probabilities of options come out.

Nothing here knows of tasks or scores. `protocols` says what every model can be asked, `chosen` how a caller
names one.
"""
