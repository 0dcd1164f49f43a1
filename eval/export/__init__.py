"""Export: a release's questions as tasks of lm-eval, and a run's scores for the Hub."""
