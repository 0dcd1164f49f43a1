"""Human judgement of predictions: sheets that say neither model nor gold, and what people made of them.

* `sheet`: the predictions of some dishes of a scored run, to be judged in a spreadsheet or in Label Studio;
* `judgements`: the sheets that came back, of several annotators;
* `judged`: agreement, precision by people, and how far each automatic measure goes along with people.
"""
