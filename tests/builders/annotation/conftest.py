"""Fixtures of projects whose answers were pulled from exports."""

from helpers.label_studio.pulled_projects import file, pulled

__all__ = ["file", "pulled"]
