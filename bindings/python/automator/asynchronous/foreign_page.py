"""Pages of other libraries that work with the same browser; they are found by their target id."""

from __future__ import annotations

from typing import Any, Protocol

from automator.errors import AutomatorInvalidArgumentError
from automator.options import kind_of


class AsyncForeignPage(Protocol):
    """A page of Playwright or Patchright, or anything else that opens DevTools sessions in the same way."""

    @property
    def context(self) -> Any:
        """Its context, with a method ``new_cdp_session``."""


async def target_id_of(page: object) -> str:
    """The target id of such a page."""
    context = getattr(page, "context", None)
    if not hasattr(context, "new_cdp_session"):
        raise AutomatorInvalidArgumentError(
            f"options.page must be a page of this session, or of Playwright or Patchright, not {kind_of(page)}"
        )
    session = await context.new_cdp_session(page)  # type: ignore[union-attr]
    try:
        told = await session.send("Target.getTargetInfo")
    finally:
        await session.detach()
    return str(told["targetInfo"]["targetId"])
