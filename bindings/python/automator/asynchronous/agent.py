"""Agents: they do tasks of many steps on their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from automator.agent_options import (
    AbortSignal,
    AgentCallbacks,
    AgentConfirm,
    callbacks_of,
    check_confirm,
    confirm_answer,
    confirm_request,
    native_signal,
)
from automator.agent_result import (
    AgentAborted,
    AgentEvent,
    AgentFailure,
    AgentFinish,
    AgentResult,
    AgentTextDelta,
    AgentToolCall,
    AgentToolResult,
    Steps,
    event_from,
    result_from,
)
from automator.asynchronous.calling import Answering, Course, Delivery, delivery_of, finished
from automator.errors import AgentAbortError
from automator.keywords import takes_options
from automator.options import Options, Variables, options_text, texts
from automator.schema import schema_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm

    from automator._native import NativeAgent, Work
    from automator.asynchronous.automator import AsyncAutomator
    from automator.asynchronous.foreign_page import AsyncForeignPage
    from automator.asynchronous.page import AsyncPage

T = TypeVar("T")


class _Agent:
    def __init__(self, session: AsyncAutomator, native: NativeAgent, answering: list[Answering]) -> None:
        self._session = session
        self._native = native
        self._answering = answering

    def _begin(self) -> None:
        """Has tools called where the call comes from."""
        self._session._begin()
        for answering in self._answering:
            answering.begin()


@takes_options
class AsyncAgent(_Agent):
    """An agent, which does tasks of many steps on its own; ``automator.agent()`` gives one."""

    @overload
    async def execute(self, instruction: Options, /) -> AgentResult[Any]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: None = None,
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AgentResult[Any]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: TypeForm[T],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AgentResult[T]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: TypeAdapter[T],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AgentResult[T]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: Mapping[str, Any],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AgentResult[Any]: ...

    async def execute(
        self,
        instruction: Any,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: Any = None,
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AgentResult[Any]:
        """Does a task. That it could not be done, and that a limit was reached, is no error: the result says so.

        Args:
            instruction: What to do, in words.
            options: The options below as a dict; with the instruction in it, it may also stand in the place of that.
            max_steps: How many times the model may decide. Default: 20.
            page: The page to begin on; tabs that it opens are followed. Default: the active one, at each step.
            variables: Values for ``%name%``. The model is told the names and what they are for, never a value. Values
                of fewer than 3 characters are not masked where pages show them.
            tool_timeout: The limit of time of each call of a tool in milliseconds; 0 is none. Default: 45000.
            exclude_tools: Names of tools that are not offered. Needs ``experimental``.
            output: The schema of the result's ``output``, as `extract` takes it. Needs ``experimental``.
            signal: Ends the run from outside, with an AgentAbortError. Needs ``experimental``.
            callbacks: Told what happens while it happens. Needs ``experimental``.
            messages: The ``messages`` of an earlier run, which this one goes on with. Needs ``experimental``.
            highlight_cursor: Shows in the window where the agent points. Default: ``False``.
            use_search: A search of the web. There is none built in: ``True`` is refused.
            timeout: The limit of time of the whole run in milliseconds; 0 is none. Default: none.
            max_tokens: The most tokens that all model calls of the run may take together. Default: no limit.
            max_cost: The most that they may cost together, in the unit of the models' ``price``. Default: no limit.
            confirm: Asked before purchases, deletions, messages, uploads and downloads; a coroutine function or not.
                Only ``True`` is a yes: whatever else it gives, and what it raises, is a no, and the model is told.
                Default: all is allowed.

        Raises:
            AgentAbortError: The signal was given.
            AutomatorInvalidArgumentError: An option cannot be used.
            AutomatorNotInitializedError: Before ``init()``.
            ExperimentalNotConfiguredError: Something needs ``experimental``, and the session is not.
            MissingLLMConfigurationError: There is no key and no client for the model.
            SchemaValidationError: Validators of the caller's own refuse the output.
        """
        run = _Run(signal, callbacks, output, confirm)
        given = run.given(
            {
                "instruction": instruction,
                "max_steps": max_steps,
                "variables": variables,
                "tool_timeout": tool_timeout,
                "exclude_tools": texts("exclude_tools", exclude_tools),
                "messages": messages,
                "highlight_cursor": highlight_cursor,
                "use_search": use_search,
                "timeout": timeout,
                "max_tokens": max_tokens,
                "max_cost": max_cost,
            }
        )
        self._begin()
        target = await self._session._target_id(page)
        run.work = self._native.execute(given, target, run.listener, run.asking, native_signal(run.signal))
        return await run.finish()


@takes_options
class AsyncStreamingAgent(_Agent):
    """An agent whose runs are streams; ``automator.agent(stream=True)`` gives one."""

    @overload
    async def execute(self, instruction: Options, /) -> AsyncAgentStream[Any]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: None = None,
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AsyncAgentStream[Any]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: TypeForm[T],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AsyncAgentStream[T]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: TypeAdapter[T],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AsyncAgentStream[T]: ...

    @overload
    async def execute(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: Mapping[str, Any],
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AsyncAgentStream[Any]: ...

    async def execute(
        self,
        instruction: Any,
        options: Options | None = None,
        *,
        max_steps: int | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        variables: Variables | None = None,
        tool_timeout: float | None = None,
        exclude_tools: str | Iterable[str] = (),
        output: Any = None,
        signal: AbortSignal | None = None,
        callbacks: AgentCallbacks | Options | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        highlight_cursor: bool | None = None,
        use_search: bool | None = None,
        timeout: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        confirm: AgentConfirm | None = None,
    ) -> AsyncAgentStream[Any]:
        """Begins a task. What goes wrong after the first step is told by the stream; see `Agent` for the rest.

        Args:
            instruction: What to do, in words.
            options: The options below as a dict; with the instruction in it, it may also stand in the place of that.
            max_steps: How many times the model may decide. Default: 20.
            page: The page to begin on; tabs that it opens are followed. Default: the active one, at each step.
            variables: Values for ``%name%``. The model is told the names and what they are for, never a value. Values
                of fewer than 3 characters are not masked where pages show them.
            tool_timeout: The limit of time of each call of a tool in milliseconds; 0 is none. Default: 45000.
            exclude_tools: Names of tools that are not offered. Needs ``experimental``.
            output: The schema of the result's ``output``, as `extract` takes it. Needs ``experimental``.
            signal: Ends the run from outside, with an AgentAbortError. Needs ``experimental``.
            callbacks: Told what happens while it happens. Needs ``experimental``.
            messages: The ``messages`` of an earlier run, which this one goes on with. Needs ``experimental``.
            highlight_cursor: Shows in the window where the agent points. Default: ``False``.
            use_search: A search of the web. There is none built in: ``True`` is refused.
            timeout: The limit of time of the whole run in milliseconds; 0 is none. Default: none.
            max_tokens: The most tokens that all model calls of the run may take together. Default: no limit.
            max_cost: The most that they may cost together, in the unit of the models' ``price``. Default: no limit.
            confirm: Asked before purchases, deletions, messages, uploads and downloads; a coroutine function or not.
                Only ``True`` is a yes: whatever else it gives, and what it raises, is a no, and the model is told.
                Default: all is allowed.

        Raises:
            AgentAbortError: The signal was given.
            AutomatorInvalidArgumentError: An option cannot be used.
            AutomatorNotInitializedError: Before ``init()``.
            ExperimentalNotConfiguredError: Something needs ``experimental``, and the session is not.
            MissingLLMConfigurationError: There is no key and no client for the model.
            SchemaValidationError: Validators of the caller's own refuse the output.
        """
        run = _Run(signal or AbortSignal(), callbacks, output, confirm)
        given = run.given(
            {
                "instruction": instruction,
                "max_steps": max_steps,
                "variables": variables,
                "tool_timeout": tool_timeout,
                "exclude_tools": texts("exclude_tools", exclude_tools),
                "messages": messages,
                "highlight_cursor": highlight_cursor,
                "use_search": use_search,
                "timeout": timeout,
                "max_tokens": max_tokens,
                "max_cost": max_cost,
            }
        )
        self._begin()
        target = await self._session._target_id(page)
        course: Course[AgentResult[Any]] = Course()
        run.course = course
        run.work = self._native.execute(given, target, run.hear, run.asking, native_signal(run.signal))
        first = await course.first(run.finish)
        if first is None or isinstance(first, (AgentFailure, AgentAborted)):
            await course.result()
        return AsyncAgentStream(course, run.signal)


class AsyncAgentStream(Generic[T]):
    """A run as what happens in it: an iterator of events, of which the last tells how it ended.

    It goes on whether or not it is read, and can be read, from the start, as often as one likes.
    """

    def __init__(self, course: Course[AgentResult[Any]], signal: AbortSignal | None) -> None:
        self._course = course
        self._signal = signal

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self._course.items()

    @property
    def text(self) -> AsyncIterator[str]:
        """What the model says, piece by piece. It ends with the run, however that ends."""
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[str]:
        async for event in self._course.items():
            if isinstance(event, AgentTextDelta):
                yield event.text

    async def result(self) -> AgentResult[T]:
        """What came of the run, once it is over.

        Raises:
            AgentAbortError: The signal was given, or the stream was closed.
            SchemaValidationError: Validators of the caller's own refuse the output.
        """
        return await self._course.result()

    def close(self) -> None:
        """Ends the run, by its signal. Closing one that is over is fine."""
        if self._signal is not None:
            self._signal.abort("the stream was closed")


class _Run:
    """One run, from its begin to its end."""

    work: Work[str]
    course: Course[AgentResult[Any]] | None = None

    def __init__(
        self,
        signal: AbortSignal | None,
        callbacks: AgentCallbacks | Options | None,
        output: object,
        confirm: AgentConfirm | None,
    ) -> None:
        check_confirm(confirm)
        native_signal(signal)
        self.signal = signal
        self._callbacks = callbacks_of(callbacks)
        self._schema = schema_of(output, "agent")
        self._steps = Steps()
        self._delivery: Delivery | None = None
        self.asking: Answering | None = None
        if self._callbacks is not None:
            self._delivery = delivery_of("a callback of an agent", _call)
        if confirm is not None:
            self.asking = Answering(confirm, confirm_request, confirm_answer, "confirm of an agent")
            self.asking.begin()

    def given(self, members: dict[str, Any]) -> str:
        """The options as the core reads them."""
        schema = None if self._schema is None else self._schema.json_schema
        return options_text({**members, "output": schema})

    @property
    def listener(self) -> Callable[[str], None] | None:
        """What is told of events, where somebody wants to hear of them."""
        return None if self._callbacks is None else self.hear

    def hear(self, text: str) -> None:
        """Takes an event as the core tells it."""
        event = event_from(text)
        if event is None:
            return
        if self.course is not None:
            self.course.tell(event)
        if isinstance(event, (AgentTextDelta, AgentToolCall, AgentToolResult)):
            self._call("on_chunk", event)
        step = self._steps.add(event)
        if step is not None:
            self._call("on_step_finish", step)

    async def finish(self) -> AgentResult[Any]:
        """Runs it to its end."""
        try:
            result = result_from(await finished(self.work), self._schema)
        except Exception as error:
            if isinstance(error, AgentAbortError):
                self._end(AgentAborted(error, self._steps.all), "on_abort")
            else:
                self._end(AgentFailure(error), "on_error")
            raise
        if self.course is not None:
            self.course.tell(AgentFinish(result))
        self._call("on_finish", result)
        return result

    def _end(self, event: AgentAborted | AgentFailure, callback: str) -> None:
        if self.course is not None:
            self.course.tell(event)
        self._call(callback, event)

    def _call(self, name: str, argument: object) -> None:
        callback = getattr(self._callbacks, name, None)
        if callback is not None and self._delivery is not None:
            self._delivery.call((callback, argument))


def _call(pair: tuple[Callable[[Any], object], Any]) -> object:
    callback, argument = pair
    return callback(argument)
