"""Everything that is read in: raw responses, upstream formats, recipes, releases."""
