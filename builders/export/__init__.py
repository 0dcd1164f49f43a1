"""Export: a release's questions as tasks of another harness."""
