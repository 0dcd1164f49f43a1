"""Annotation: what a project asks people in Label Studio, and what their work becomes.

In come a project file (`project`, `check`) and the tables of a directory of raw responses; `stages` makes pages
and tasks of them, and rows of what people did. `syncing` brings tasks to a server, and `pulling` writes down
what comes back as events, of which `counting` makes responses and reviews; `status` and `reliability` say how
far and how well, and `forgetting` removes a person. `loaders.label_studio` asks the server.
"""
