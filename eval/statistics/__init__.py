"""Statistics: how sure a score is, and whether two scores differ. Arrays in, figures out.

Questions of one template are not independent: the same dish, feast or sport decides whether a model is correct
in all of them. So whatever is resampled or exchanged here is a *cluster* (a template, a dish, a topic), never
an item. Nothing here knows where the numbers come from.

* `clusters`: items added up per group and cluster, the form in which everything else takes them;
* `estimates`: means and other ratios, their mean over groups, the gap between groups, with intervals,
  also where there are too few clusters to draw from; what of them comes from drawing answers;
* `paired`: two models on the same items; what is better, and is it chance; places that differences allow;
* `agreement`: how far people agree, beyond what chance gives; correlations, and whether confidence is right;
* `prediction_powered`: figures of all answers from the decisions of a rule and people's labels of some.
"""
