"""A project on its server: what leads do with it, from the first push to the last pull.

`blend.builders.annotation` says what a project asks and what annotations mean, `blend.loaders.label_studio`
asks the server; here both meet. Each function does one command of ``blend annotate``.
"""
