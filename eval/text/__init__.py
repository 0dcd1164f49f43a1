"""Texts: how the answers of each language are normalised, parted into words and reduced to lemmas.

``languages.toml`` says for every language what is done and what is not claimed. A `TextReader` does
it, each distinct text once, and names what it used for the signature. Nothing here knows of tasks or scores.

* `language_readers`: how each language is read, spellings that stand for one word, and the words of a text;
* `lemmatisers`: readers, and the lemmatisers by name, those of optional packages included;
* `affix_lists`: lemmatisers that take affixes of a list off;
* `spoken_values`: numbers, times and days that are written in words, in figures.
"""
