"""Options of calls: as keyword arguments, as a dict, and with an error that helps when there is none of that name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from automator.names import nearest

Class = TypeVar("Class", bound=type[Any])

# What a dict may stand in the place of when it comes first: `extract({"selector": "main"})`.
_REPLACEABLE = {"env", "instruction"}


def takes_options(cls: Class) -> Class:
    """Lets the methods of a class take ``options`` as a dict, and say which option a wrong name may mean."""
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and _keywords(inspect.signature(method)):
            setattr(cls, name, _checked(f"{cls.__name__}.{name}", method))
    return cls


def _keywords(signature: inspect.Signature) -> set[str]:
    return {
        name for name, parameter in signature.parameters.items() if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _checked(qualified: str, method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    names = list(signature.parameters)
    known = _keywords(signature)
    optional = known | {
        name
        for name, parameter in signature.parameters.items()
        if parameter.default is not inspect.Parameter.empty and name != "options"
    }
    place = names.index("options") if "options" in names else None
    leads = len(names) > 1 and names[1] in _REPLACEABLE

    def arranged(args: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        what = f"{qualified.removesuffix('.__init__')}()"
        unknown = [name for name in given if name not in names]
        if unknown:
            raise TypeError(f"{what} has no option {unknown[0]!r}; {nearest(unknown[0], optional)}")
        if place is None:
            return args, given
        options = given.pop("options", None)
        if (leads and len(args) == 2 and isinstance(args[-1], Mapping) and options is None) or len(args) == place + 1:
            if options is not None:
                raise TypeError(f"{what}: options are given twice")
            args, options = args[:-1], args[-1]
        if options is None:
            return args, given
        if not isinstance(options, Mapping):
            schema = "; a schema is given as schema=…" if "schema" in known else ""
            raise TypeError(f"{what}: options must be a dict, not {options!r}{schema}")
        takes = optional | {names[1]} if leads else known
        for name, value in options.items():
            if name not in takes:
                raise TypeError(f"{what} has no option {name!r}; {nearest(str(name), takes)}")
            if name in given:
                raise TypeError(f"{what}: {name} is given twice, in options and as a keyword")
            given[name] = value
        return args, given

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def waiting(*args: Any, **given: Any) -> Any:
            args, given = arranged(args, given)
            return await method(*args, **given)

        return waiting

    @functools.wraps(method)
    def calling(*args: Any, **given: Any) -> Any:
        args, given = arranged(args, given)
        return method(*args, **given)

    return calling
