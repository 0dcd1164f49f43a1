"""Wikidata: a subset taken once, pinned, and read offline."""
