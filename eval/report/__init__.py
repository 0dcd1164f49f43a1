"""Report: scored runs side by side, on one page and in comparisons that say what chance can do."""
