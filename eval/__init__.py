"""Evaluation: items from a release, answers from a model, scores from the answers that were kept."""
