"""Texts: how the answers of each language are normalised, parted into words and reduced to lemmas.

``languages.toml`` says for every language what is done and what is not claimed. A `TextReader` does
it, each distinct text once, and names what it used for the signature. Nothing here knows of tasks or scores.

* `language_readers`: how each language is read, spellings that stand for one word, words, and affixes;
* `lemmatisers`: readers, and the lemmatisers by name, those of optional packages included;
* `spoken_values`: numbers, times and days that are written in words, in figures.
"""
