"""Reviewed decisions on published datasets: data with a licence of its own, in a folder per dataset.

`blend.loaders.responses.verdicts` reads them.
"""
