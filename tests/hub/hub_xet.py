"""The Hub's answers about files that travel in chunks (Xet)."""

ROUTES: tuple[()] = ()
