"""The session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from automator._native import NativeSession
from automator.action import Action, ActResult, act_input, actions_from, result_from
from automator.agent_options import AgentMode, AgentTools
from automator.agent_tools import tools_of
from automator.asynchronous.agent import AsyncAgent, AsyncStreamingAgent
from automator.asynchronous.calling import Answering, Delivery, finished
from automator.asynchronous.context import AsyncContext
from automator.asynchronous.foreign_page import AsyncForeignPage, target_id_of
from automator.asynchronous.page import AsyncPage
from automator.errors import AutomatorInvalidArgumentError
from automator.extraction import (
    Extraction,
    PageText,
    WithCacheStatus,
    WithProvenance,
    extracted_text,
    extraction_from,
    page_text_from,
    with_cache_status_from,
    with_provenance_from,
)
from automator.files import FilePath
from automator.keywords import takes_options
from automator.llm_client import LLMClient, LLMFunction, function_of, reply_text, request_from, traits_of
from automator.log_line import LogLine, log_receiver
from automator.options import (
    Env,
    LocalBrowserLaunchOptions,
    Model,
    Options,
    RemotePlatform,
    Variables,
    given_text,
    kind_of,
    options_text,
    texts,
)
from automator.records import AutomatorMetrics, HistoryEntry, history_from, metrics_from
from automator.schema import schema_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import Self, TypeForm

T = TypeVar("T")


@takes_options
class AsyncAutomator:
    """A session: it starts a browser or attaches to one, and does what is asked for in words.

    It is a context manager: ``init()`` at the beginning, ``close()`` at the end, whatever happens between.

    Example:
        >>> async with AsyncAutomator(env="LOCAL", model="openai/gpt-4.1-mini") as automator:
        ...     await automator.context.pages()[0].goto("https://lamps.example")
        ...     print((await automator.extract("the heading")).extraction)
    """

    @overload
    def __init__(self, env: Options, /) -> None: ...

    @overload
    def __init__(
        self,
        env: Env,
        options: Options | None = None,
        *,
        api_key: str | None = None,
        remote_session_id: str | None = None,
        remote_base_url: str | None = None,
        remote_platform: RemotePlatform | None = None,
        remote_session_create_params: Mapping[str, Any] | None = None,
        local_browser_launch_options: LocalBrowserLaunchOptions | Options | None = None,
        model: Model | None = None,
        llm_client: LLMClient | LLMFunction | None = None,
        system_prompt: str | None = None,
        self_heal: bool = True,
        experimental: bool = False,
        dom_settle_timeout: float = 30000,
        cache_dir: FilePath | None = None,
        keep_alive: bool | None = None,
        server_cache: bool = True,
        verbose: Literal[0, 1, 2] = 1,
        log_inference_to_file: bool = False,
        disable_log_backend: bool = False,
        logger: Callable[[LogLine], object] | None = None,
    ) -> None: ...

    def __init__(
        self,
        env: Env | Options,
        options: Options | None = None,
        *,
        api_key: str | None = None,
        remote_session_id: str | None = None,
        remote_base_url: str | None = None,
        remote_platform: RemotePlatform | None = None,
        remote_session_create_params: Mapping[str, Any] | None = None,
        local_browser_launch_options: LocalBrowserLaunchOptions | Options | None = None,
        model: Model | None = None,
        llm_client: LLMClient | LLMFunction | None = None,
        system_prompt: str | None = None,
        self_heal: bool = True,
        experimental: bool = False,
        dom_settle_timeout: float = 30000,
        cache_dir: FilePath | None = None,
        keep_alive: bool | None = None,
        server_cache: bool = True,
        verbose: Literal[0, 1, 2] = 1,
        log_inference_to_file: bool = False,
        disable_log_backend: bool = False,
        logger: Callable[[LogLine], object] | None = None,
    ) -> None:
        """A session that is not yet initialised.

        Args:
            env: Where the browser runs: ``LOCAL`` or ``REMOTE``.
            options: The options below as a dict; with ``env`` in it, it may also stand in the place of that.
            api_key: Key of the remote platform. Default: the environment variable ``REMOTE_API_KEY``.
            remote_session_id: Resumes an existing remote session instead of creating one.
            remote_base_url: Where the remote platform is: its HTTP address, or the WebSocket address of a browser.
                Default: the environment variable ``REMOTE_BASE_URL``, else ``http://127.0.0.1:4800``, where
                ``automator serve`` listens.
            remote_platform: What is spoken there: the interface of ``automator serve``, the hosted platform's two
                services (``REMOTE_BASE_URL`` and ``REMOTE_API_URL``), or the DevTools protocol of one browser. Default:
                ``automator``, and ``cdp`` for a WebSocket address.
            remote_session_create_params: Extra parameters for the creation of a remote session.
            local_browser_launch_options: How the local browser is started or attached to.
            model: The model for all operations. Default: ``openai/gpt-4.1-mini``.
            llm_client: A client that is used instead of the model's; see `LLMClient`.
            system_prompt: Instructions that are part of every prompt.
            self_heal: Whether actions may recover from failures.
            experimental: Accepts features that may change between versions without notice.
            dom_settle_timeout: How long the page may take to come to rest, in milliseconds.
            cache_dir: The folder in which actions and extractions are remembered. Default: none.
            keep_alive: Leaves the browser running after ``close()`` and the end of the program. Default: ``False``.
                When it is given, it counts instead of that in ``remote_session_create_params``.
            server_cache: Whether the remote platform answers repeated calls from its cache. No effect locally.
            verbose: How much is logged: 0 what went wrong, 1 what is done, 2 everything.
            log_inference_to_file: Writes what goes to and comes from models into ``./inference_summary``.
            disable_log_backend: Leaves the ``logging`` module out, for programs that only want their ``logger``.
            logger: Receives every log line up to ``verbose``. One that raises harms nothing.

        Raises:
            TypeError: There is no option of a name; the error says which one may be meant.
            AutomatorEnvironmentError: The ``env`` does not exist.
            InvalidAISDKModelFormatError: The model is not ``provider/model``.
            AutomatorInvalidArgumentError: Another option cannot be used.
        """
        if logger is not None and not callable(logger):
            raise TypeError(f"logger must be a function, not {kind_of(logger)}")
        self._logger = None if logger is None else Delivery("the logger", logger)
        self._answering = None if llm_client is None else Answering(function_of(llm_client), request_from, reply_text)
        given = options_text(
            {
                "env": env,
                "api_key": api_key,
                "remote_session_id": remote_session_id,
                "remote_base_url": remote_base_url,
                "remote_platform": remote_platform,
                "remote_session_create_params": remote_session_create_params,
                "local_browser_launch_options": local_browser_launch_options,
                "model": model,
                "system_prompt": system_prompt,
                "self_heal": self_heal,
                "experimental": experimental,
                "dom_settle_timeout": dom_settle_timeout,
                "cache_dir": cache_dir,
                "keep_alive": keep_alive,
                "server_cache": server_cache,
                "verbose": verbose,
                "log_inference_to_file": log_inference_to_file,
                "disable_log_backend": disable_log_backend,
            }
        )
        self._native = NativeSession(
            given,
            log_receiver(not disable_log_backend, None if self._logger is None else self._logger.call),
            None if llm_client is None else traits_of(llm_client),
            self._answering,
        )
        self._context: AsyncContext | None = None
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        await self.init()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def init(self) -> None:
        """Starts the browser, or attaches to one. Afterwards there is a first page.

        A session that is open stays as it is; one that was closed, or has lost its browser, starts again.

        Raises:
            AutomatorInitError: No browser comes up, with its last words and what to do.
            MissingEnvironmentVariableError: ``REMOTE`` without a key.
            AutomatorEnvironmentError: The platform does not accept the key.
            RemoteSessionNotFoundError: The session to resume is not there, or has ended.
        """
        self._begin()
        await finished(self._native.init())

    async def close(self, options: Options | None = None, *, force: bool = False) -> None:
        """Ends the session and, unless ``keep_alive`` is set, the browser. Closing twice is fine.

        Args:
            options: The options below as a dict.
            force: Cuts the browser off instead of asking it to end, also while another close is under way.
        """
        await finished(self._native.close(given_text({"force": force})))
        self._context = None

    @property
    def context(self) -> AsyncContext:
        """The pages.

        Raises:
            AutomatorNotInitializedError: Before ``init()``, after ``close()``, and once the browser is lost.
        """
        try:
            native = self._native.context()
        except Exception:
            # Another ``init()`` brings other pages.
            self._context = None
            raise
        with self._lock:
            if self._context is None:
                self._context = AsyncContext(self, native)
            return self._context

    @property
    def remote_session_id(self) -> str | None:
        """The id of the remote session, to be resumed with. ``None`` for ``LOCAL`` and before ``init()``."""
        return self._native.remote_session_id()

    @property
    def remote_session_url(self) -> str | None:
        """The address of a page on which the remote session can be watched; can be given to others.

        ``None`` for ``LOCAL``, and when the platform gives none.
        """
        return self._native.remote_session_url()

    @property
    def remote_debug_url(self) -> str | None:
        """The address of a page on which the remote session can be driven by hand.

        ``None`` for ``LOCAL``, and when the platform gives none.
        """
        return self._native.remote_debug_url()

    @property
    def metrics(self) -> AutomatorMetrics:
        """Tokens and time so far. They survive a close."""
        return metrics_from(self._native.metrics())

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """All operations so far, the oldest first. A close empties it."""
        return history_from(self._native.history())

    def connect_url(self) -> str:
        """The WebSocket address under which other libraries reach the browser.

        Raises:
            AutomatorNotInitializedError: Before ``init()``.
        """
        # The browser says its address while it starts, so nothing is waited for in practice.
        return self._native.connect_url().wait()

    async def act(
        self,
        input: str | Action | Mapping[str, Any],
        options: Options | None = None,
        *,
        model: Model | None = None,
        variables: Variables | None = None,
        timeout: float | None = None,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> ActResult:
        """Does something on the page: what an instruction says, or exactly one `Action`.

        An instruction takes one model call, and a second one for an action in two steps or when the element was gone
        by then; an `Action` takes none. That it could not be done is no error.

        Args:
            input: The instruction, or the action.
            options: The options below as a dict.
            model: The model of this call. Default: that of the session.
            variables: Values for ``%name%`` in the instruction and in arguments. The model is told the names, never
                a value. Values of fewer than 3 characters are not masked where pages show them.
            timeout: The limit of time for all of it in milliseconds; 0 is none. Default: 60000.
            page: The page. Default: the active one.
            server_cache: Overrides the session's setting. No effect locally.

        Returns:
            Whether the page shows the effect, and what was done.

        Raises:
            ActTimeoutError: The limit of time was reached.
            AutomatorInvalidArgumentError: The instruction is empty, or an option cannot be used.
            MissingLLMConfigurationError: There is no key and no client for the model.
            LLMResponseError: The model gave no usable reply.
        """
        instruction, action = act_input(input)
        given = options_text({"model": model, "variables": variables, "timeout": timeout, "server_cache": server_cache})
        self._begin()
        target = await self._target_id(page)
        return result_from(await finished(self._native.act(instruction, action, given, target)))

    async def observe(
        self,
        instruction: str | None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        variables: Variables | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> list[Action]:
        """Finds what the instruction describes, each as an `Action` that `act` does without a model.

        Args:
            instruction: What to find. Default: what can be used on the page.
            options: The options below as a dict; it may also stand in the place of the instruction.
            model: The model of this call. Default: that of the session.
            variables: Values for ``%name%``; see `act`.
            timeout: The limit of time in milliseconds; 0 is none. Default: 60000.
            selector: Limits the search to one part of the page. Default: the whole page.
            ignore_selectors: Selectors whose elements are left out with all that is below them.
            page: The page. Default: the active one.
            server_cache: Overrides the session's setting. No effect locally.

        Raises:
            ObserveTimeoutError: The limit of time was reached.
            MissingLLMConfigurationError: There is no key and no client for the model.
            LLMResponseError: The model gave no usable reply.
        """
        given = self._observe_options(model, variables, timeout, selector, ignore_selectors, server_cache)
        self._begin()
        target = await self._target_id(page)
        found, _ = await finished(self._native.observe(instruction or "", given, target))
        return actions_from(found)

    async def observe_with_cache_status(
        self,
        instruction: str | None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        variables: Variables | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithCacheStatus[list[Action]]:
        """As `observe`, and says whether the remote platform has answered from its cache; None for ``LOCAL``."""
        given = self._observe_options(model, variables, timeout, selector, ignore_selectors, server_cache)
        self._begin()
        target = await self._target_id(page)
        found = await finished(self._native.observe(instruction or "", given, target))
        return with_cache_status_from(found, actions_from)

    @overload
    async def extract(
        self,
        *,
        options: Options | None = None,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> PageText: ...

    @overload
    async def extract(self, instruction: Options, /) -> PageText: ...

    @overload
    async def extract(
        self,
        instruction: str,
        schema: None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> Extraction: ...

    @overload
    async def extract(
        self,
        instruction: str,
        schema: TypeForm[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> T: ...

    @overload
    async def extract(
        self,
        instruction: str,
        schema: TypeAdapter[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> T: ...

    @overload
    async def extract(
        self,
        instruction: str,
        schema: Mapping[str, Any],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> Any: ...

    async def extract(
        self,
        instruction: Any = None,
        schema: Any = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> Any:
        """Extracts what the instruction describes; without one, gives the page as text, without a model.

        Args:
            instruction: What to extract.
            schema: The shape of the result: a pydantic model, a dataclass, a TypedDict, ``list[Model]``, ``str``, any
                other type that pydantic understands, or a JSON Schema as a dict. Default: text.
            options: The options below as a dict; it may also stand in the place of the instruction.
            model: The model of this call. Default: that of the session.
            timeout: The limit of time in milliseconds; 0 is none. Default: 120000.
            selector: Limits the extraction to one part of the page: a CSS selector, or an XPath, bare or with
                ``xpath=``; ``>>`` leads into a frame or a shadow root. One that matches nothing is an error.
                Default: the whole page.
            ignore_selectors: Selectors whose elements are left out with all that is below them.
            screenshot: Sends a PNG of the viewport with the page text.
            page: The page. Default: the active one.
            server_cache: Overrides the session's setting. No effect locally.

        Returns:
            An instance of the schema, checked by pydantic; an `Extraction` without a schema; a `PageText` without an
            instruction. Members with the format of an address (``pydantic.HttpUrl``) are absolute addresses of the
            page.

        Raises:
            SchemaValidationError: The answer does not fit the schema.
            ExtractTimeoutError: The limit of time was reached.
            MissingLLMConfigurationError: There is no key and no client for the model.
            LLMResponseError: The model gave no usable reply.
            AutomatorElementNotFoundError: The selector matches nothing; XPathResolutionError for an XPath.
            AutomatorInvalidArgumentError: The instruction is empty, or an option or the schema cannot be used.
        """
        given = self._extract_options(model, timeout, selector, ignore_selectors, screenshot, server_cache)
        checked = schema_of(schema)
        self._begin()
        target = await self._target_id(page)
        if instruction is None and checked is None:
            return page_text_from(await finished(self._native.page_text(given, target)))
        text = None if checked is None else checked.text
        answer = await finished(self._native.extract(instruction or "", text, given, target))
        return extraction_from(answer) if checked is None else checked.validated(answer[0])

    async def page_text(
        self,
        options: Options | None = None,
        *,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        page: AsyncPage | AsyncForeignPage | None = None,
    ) -> PageText:
        """The page as text, without a model; another name of ``extract()`` without an instruction.

        Args:
            options: The options below as a dict.
            timeout: The limit of time in milliseconds; 0 is none. Default: 120000.
            selector: Limits the text to one part of the page; see `extract`. Default: the whole page.
            ignore_selectors: Selectors whose elements are left out with all that is below them.
            page: The page. Default: the active one.

        Raises:
            ExtractTimeoutError: The limit of time was reached.
        """
        given = self._extract_options(None, timeout, selector, ignore_selectors, False, None)
        self._begin()
        target = await self._target_id(page)
        return page_text_from(await finished(self._native.page_text(given, target)))

    @overload
    async def extract_with_cache_status(
        self,
        instruction: str,
        schema: None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithCacheStatus[str]: ...

    @overload
    async def extract_with_cache_status(
        self,
        instruction: str,
        schema: TypeForm[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithCacheStatus[T]: ...

    @overload
    async def extract_with_cache_status(
        self,
        instruction: str,
        schema: TypeAdapter[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithCacheStatus[T]: ...

    @overload
    async def extract_with_cache_status(
        self,
        instruction: str,
        schema: Mapping[str, Any],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithCacheStatus[Any]: ...

    async def extract_with_cache_status(
        self,
        instruction: str,
        schema: Any = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> Any:
        """As `extract` with an instruction, and says whether the remote platform has answered from its cache.

        Without a schema the value is the text. The status is None for ``LOCAL``, with ``server_cache=False``, and where
        the call ran in this program.
        """
        given = self._extract_options(model, timeout, selector, ignore_selectors, screenshot, server_cache)
        checked = schema_of(schema)
        self._begin()
        target = await self._target_id(page)
        text = None if checked is None else checked.text
        found = await finished(self._native.extract(instruction, text, given, target))
        return with_cache_status_from(found, extracted_text if checked is None else checked.validated)

    @overload
    async def extract_with_provenance(
        self,
        instruction: str,
        schema: None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithProvenance[str]: ...

    @overload
    async def extract_with_provenance(
        self,
        instruction: str,
        schema: TypeForm[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithProvenance[T]: ...

    @overload
    async def extract_with_provenance(
        self,
        instruction: str,
        schema: TypeAdapter[T],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithProvenance[T]: ...

    @overload
    async def extract_with_provenance(
        self,
        instruction: str,
        schema: Mapping[str, Any],
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> WithProvenance[Any]: ...

    async def extract_with_provenance(
        self,
        instruction: str,
        schema: Any = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        screenshot: bool = False,
        page: AsyncPage | AsyncForeignPage | None = None,
        server_cache: bool | None = None,
    ) -> Any:
        """As `extract`, with the places on the page that each part of the answer stands on; no further model call.

        Places go by JSON pointer. A part with an empty list stands nowhere on the page: the model computed it, or
        made it up.
        """
        given = self._extract_options(model, timeout, selector, ignore_selectors, screenshot, server_cache)
        checked = schema_of(schema)
        self._begin()
        target = await self._target_id(page)
        text = None if checked is None else checked.text
        found = await finished(self._native.extract_with_provenance(instruction, text, given, target))
        return with_provenance_from(found, checked)

    def _observe_options(
        self,
        model: Model | None,
        variables: Variables | None,
        timeout: float | None,
        selector: str | None,
        ignore_selectors: Iterable[str],
        server_cache: bool | None,
    ) -> str:
        return options_text(
            {
                "model": model,
                "variables": variables,
                "timeout": timeout,
                "selector": selector,
                "ignore_selectors": texts("ignore_selectors", ignore_selectors),
                "server_cache": server_cache,
            }
        )

    @overload
    def agent(
        self,
        options: Options | None = None,
        *,
        model: Model | None = None,
        execution_model: Model | None = None,
        system_prompt: str | None = None,
        mode: AgentMode | None = None,
        tools: AgentTools | None = None,
        integrations: Iterable[Any] = (),
        stream: Literal[False] = False,
    ) -> AsyncAgent: ...

    @overload
    def agent(
        self,
        options: Options | None = None,
        *,
        model: Model | None = None,
        execution_model: Model | None = None,
        system_prompt: str | None = None,
        mode: AgentMode | None = None,
        tools: AgentTools | None = None,
        integrations: Iterable[Any] = (),
        stream: Literal[True],
    ) -> AsyncStreamingAgent: ...

    @overload
    def agent(
        self,
        options: Options | None = None,
        *,
        model: Model | None = None,
        execution_model: Model | None = None,
        system_prompt: str | None = None,
        mode: AgentMode | None = None,
        tools: AgentTools | None = None,
        integrations: Iterable[Any] = (),
        stream: bool = False,
    ) -> AsyncAgent | AsyncStreamingAgent: ...

    def agent(
        self,
        options: Options | None = None,
        *,
        model: Model | None = None,
        execution_model: Model | None = None,
        system_prompt: str | None = None,
        mode: AgentMode | None = None,
        tools: AgentTools | None = None,
        integrations: Iterable[Any] = (),
        stream: bool = False,
    ) -> AsyncAgent | AsyncStreamingAgent:
        """An agent, which does tasks of many steps on its own. Nothing is done until it is told to ``execute`` one.

        Args:
            options: The options below as a dict.
            model: The model that decides. Default: that of the session. Its member ``price`` (``input``,
                ``cachedInput``, ``output``, a million tokens each) is what ``max_cost`` counts with.
            execution_model: The model of the ``act``, ``observe`` and ``extract`` calls inside. Default: the agent's.
            system_prompt: Instructions for every run, besides those of the session.
            mode: How it works. Default: ``hybrid`` for models known to point well, else ``dom``.
            tools: Tools of your own, besides the built-in ones: a list of functions and `AgentTool`, or a dict by
                name. Needs ``experimental``.
            integrations: Servers of tools by the Model Context Protocol, connected for each run and ended with it: the
                address of one, or a dict with ``command``, ``args`` and ``env`` of a program to start. Needs
                ``experimental``.
            stream: Whether ``execute`` gives a stream. Needs ``experimental``.

        Raises:
            AutomatorInvalidArgumentError: An option or a tool cannot be used.
        """
        own, answering = tools_of(tools, Answering)
        given = options_text(
            {
                "model": model,
                "execution_model": execution_model,
                "system_prompt": system_prompt,
                "mode": mode,
                # A text is no list of letters, which is for the core to say.
                "integrations": integrations if isinstance(integrations, str) else list(integrations),
                "stream": stream,
            }
        )
        native = self._native.agent(given, own)
        return AsyncStreamingAgent(self, native, answering) if stream else AsyncAgent(self, native, answering)

    def _extract_options(
        self,
        model: Model | None,
        timeout: float | None,
        selector: str | None,
        ignore_selectors: Iterable[str],
        screenshot: bool,
        server_cache: bool | None,
    ) -> str:
        return options_text(
            {
                "model": model,
                "timeout": timeout,
                "selector": selector,
                "ignore_selectors": texts("ignore_selectors", ignore_selectors),
                "screenshot": screenshot,
                "server_cache": server_cache,
            }
        )

    def _begin(self) -> None:
        """Has functions of the user called where the call comes from."""
        for called in (self._logger, self._answering):
            if called is not None:
                called.begin()

    async def _target_id(self, page: AsyncPage | AsyncForeignPage | None) -> str | None:
        if page is None:
            return None
        if not isinstance(page, AsyncPage):
            return await target_id_of(page)
        if page._session is not self:
            raise AutomatorInvalidArgumentError("options.page is a page of another session")
        return page.target_id()
