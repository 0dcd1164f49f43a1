"""blend: make, publish, regenerate and score multilingual everyday-culture benchmarks.

Everything that a function here takes, returns or raises has its name here as well; `blend.schemas.errors` shows
the errors as a tree. `__init__.pyi` lists the names; each is loaded when it is first used, so that importing
the package stays cheap.
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"
"""The version of the SDK, the one place where it is written."""

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
