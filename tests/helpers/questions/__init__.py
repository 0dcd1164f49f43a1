"""Questions, answers and decisions in shorthand."""
