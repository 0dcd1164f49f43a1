"""Everything that is read in: raw responses, upstream formats, recipes, releases.

Users of a published dataset find ``load``, ``read_config`` and ``as_models`` in the package itself,
``import blend``; ``docs/loading.md`` describes them.
"""
