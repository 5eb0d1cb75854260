"""The classes that are awaited."""
