"""Templates of the dataset card, works to cite, prompts of a benchmark, and the vocabulary of metadata."""
