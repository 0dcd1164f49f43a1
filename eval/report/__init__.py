"""Report: scored runs side by side, on one page and in comparisons that say what chance can do.

Takes what `blend.eval.scoring` wrote into run directories; knows nothing of how scores are made.

* `scored`: runs with their scores and decisions, and whether they can be compared;
* `compare`: who is better, where, and is it chance;
* `hardest`: questions that the models get wrong, with what they answered;
* `charts`: Vega-Lite charts of scores;
* `page`: all of it as one HTML file that needs no network.
"""
