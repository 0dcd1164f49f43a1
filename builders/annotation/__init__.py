"""Annotation: what a project asks people in Label Studio, and what their work becomes.

In come a project file (`project`, `starting`) and the tables of a directory of raw responses; stages (`stage`,
`questions`, `review`, `judging`) make pages and tasks of them, and rows of what people did. `syncing` brings
tasks to a server, and removes people who ask for it; `pulling` writes down what comes back as events, of which
`counting` makes responses and reviews; `status` says how far and how well. `loaders.label_studio` asks.
"""
