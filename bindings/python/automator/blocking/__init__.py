# Written by `cargo xtask generate` from `asynchronous/__init__.py`; change that.
"""The classes that wait."""
