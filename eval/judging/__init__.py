"""Judging: a model reads replies beside the accepted answers and says whether they are correct.

What a judge says is kept in the directory of the run that it judges, as a run of its own,
``RUN/judges/NAME``; the rule ``judge`` scores by it. Judges know tasks by the protocol
`blend.eval.task_protocol.Task` alone. ``docs/short-answers.md`` says what a judge sees and how far it can be
trusted.
"""
