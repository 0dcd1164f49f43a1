"""Extrinsic evaluation: how far texts that a model writes for people of several groups differ, and along what.

Texts of groups (nationalities) about topics come in, several samples of each; how much they vary between and
within groups, which words are a group's own, and how far their likeness follows cultural closeness go out.
Nothing here knows of models, runs or releases.

* `topics`: the texts of one topic, each parted into tokens once and coded as integers;
* `edit_distance`: the word edit distance (WED) of every pair of groups;
* `bleu`: the BLEU of every pair of groups, with all samples as references or pair by pair;
* `variance`: lexical variance between and within groups, and whether both are equal;
* `words`: the words that TF-IDF finds for every group;
* `culture`: distances of groups by the answers of a survey;
* `agreement`: how far the likeness of texts follows those distances, by Kendall's rank correlation;
* `definitions`: which definitions there are, those of the paper and those of its published code.

References:
    Bhatt and Diaz (2024), Extrinsic Evaluation of Cultural Competence in Large Language Models, Findings of
    EMNLP 2024.
"""
