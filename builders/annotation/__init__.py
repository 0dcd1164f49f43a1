"""Annotation: what a project asks people, how, and what their work becomes; knows nothing of any server.

In come a project file (`project`) and the tables of a directory of raw responses; out go the labelling
configurations and tasks of every stage, and, from annotations as Label Studio exports them, raw responses,
reviews, decisions and the other files that builds read (`stages`), who can be relied on (`reliability`), and
what is still to be asked (`collecting`). `blend.loaders.label_studio` talks to the server.
"""
