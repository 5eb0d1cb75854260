"""What type checkers make of calls; nobody runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from pydantic import BaseModel, TypeAdapter
from typing_extensions import assert_type

from automator import (
    Action,
    ActResult,
    AgentConfirmRequest,
    AgentEvent,
    AgentResult,
    AgentTool,
    AsyncAgent,
    AsyncAgentStream,
    AsyncAutomator,
    AsyncDialog,
    AsyncPage,
    AsyncResponse,
    AsyncStreamingAgent,
    Automator,
    AutomatorMetrics,
    Download,
    Extraction,
    HistoryEntry,
    LLMRequest,
    LocalBrowserLaunchOptions,
    LogLine,
    Page,
    PageText,
    Response,
    Source,
    WithCacheStatus,
    WithProvenance,
)


class Lamp(BaseModel):
    name: str


@dataclass
class Point:
    x: int


class Movie(TypedDict):
    title: str


class Session(Automator):
    """One of the user's own."""


async def awaited(automator: AsyncAutomator) -> None:
    assert_type(await automator.extract(), PageText)
    assert_type(await automator.extract({"selector": "main"}), PageText)
    assert_type(await automator.extract(selector="main"), PageText)
    assert_type(await automator.page_text(), PageText)
    assert_type(await automator.extract("the price"), Extraction)
    assert_type(await automator.extract("the lamp", Lamp), Lamp)
    assert_type(await automator.extract("the lamp", schema=Lamp, selector="main"), Lamp)
    assert_type(await automator.extract("the lamps", list[Lamp], {"selector": "main"}), list[Lamp])
    assert_type(await automator.extract("the point", Point), Point)
    assert_type(await automator.extract("the movie", Movie), Movie)
    assert_type(await automator.extract("the price", str), str)
    assert_type(await automator.extract("the lamp", Lamp | None), Lamp | None)
    found = await automator.extract_with_provenance("the lamp", Lamp)
    assert_type(found, WithProvenance[Lamp])
    assert_type(found.provenance["/name"], list[Source])
    told = await automator.extract_with_cache_status("the lamps", list[Lamp], {"selector": "main"})
    assert_type(told, WithCacheStatus[list[Lamp]])
    assert_type(told.cache_status, Literal["HIT", "MISS"] | None)
    assert_type(await automator.extract_with_cache_status("the price", server_cache=False), WithCacheStatus[str])
    assert_type(await automator.observe_with_cache_status("the lamps"), WithCacheStatus[list[Action]])
    acted = await automator.act("press", variables={"name": "x"})
    assert_type(acted, ActResult)
    assert_type(await automator.observe(), list[Action])
    assert_type(automator.metrics, AutomatorMetrics)
    assert_type(automator.history, tuple[HistoryEntry, ...])
    page = automator.context.pages()[0]
    assert_type(page, AsyncPage)
    assert_type(await page.goto("about:blank", wait_until="load"), AsyncResponse | None)
    assert_type(await page.extract(), dict[str, str])
    assert_type(await page.extract("the price"), dict[str, str])
    assert_type(await page.extract(instruction="the lamp", schema=Lamp, iframes=True), Lamp)

    async def answer(dialog: AsyncDialog) -> None:
        await dialog.accept()

    page.on("dialog", answer)
    # What is no option is an error before the program runs.
    await page.goto("about:blank", timeout=5)  # type: ignore[call-overload,call-arg,unused-ignore]  # pyright: ignore
    AsyncAutomator("MOON")  # type: ignore[call-overload,arg-type,unused-ignore]  # pyright: ignore


def waiting(automator: Automator) -> None:
    assert_type(automator.extract("the lamps", list[Lamp]), list[Lamp])
    assert_type(automator.extract("the numbers", TypeAdapter(list[int])), list[int])
    assert_type(automator.extract("the price"), Extraction)
    assert_type(automator.extract_with_cache_status("the numbers", TypeAdapter(set[int])), WithCacheStatus[set[int]])
    assert_type(automator.observe_with_cache_status(), WithCacheStatus[list[Action]])
    page = automator.context.pages()[0]
    assert_type(page, Page)
    assert_type(page.goto("about:blank"), Response | None)
    assert_type(page.screenshot(), bytes)
    assert_type(page.extract(instruction="the lamp", schema=Lamp), Lamp)
    downloads: list[Download] = []
    page.once("download", downloads.append)
    with automator as same:
        assert_type(same, Automator)
    with Session("LOCAL") as own:
        assert_type(own, Session)


def log(line: LogLine) -> None: ...


async def generate(request: LLMRequest) -> str:
    assert_type(request["temperature"], float | None)
    return "{}"


class Client:
    def generate(self, request: LLMRequest) -> Any:
        return {"text": "{}"}


def sessions() -> None:
    Automator("LOCAL")
    Automator({"env": "LOCAL", "verbose": 0})
    Automator(env="LOCAL", logger=log, llm_client=generate)
    AsyncAutomator("LOCAL", llm_client=Client(), local_browser_launch_options={"headless": True})
    Automator("LOCAL", local_browser_launch_options=LocalBrowserLaunchOptions(viewport={"width": 1, "height": 1}))


def weather(city: str, days: int = 1) -> dict[str, bool]:
    """The weather in a city."""
    return {city: days > 1}


async def agents(automator: AsyncAutomator, page: AsyncPage) -> None:
    agent = automator.agent(mode="dom", tools=[weather, AgentTool("plain", "x", {"type": "object"}, print)])
    assert_type(agent, AsyncAgent)
    result = await agent.execute("go", max_steps=3, page=page, variables={"a": 1}, confirm=never_buys)
    assert_type(result, AgentResult[Any])
    assert_type(await agent.execute("go", output=Lamp, messages=result.messages), AgentResult[Lamp])
    assert_type((await agent.execute("go", output=list[Lamp])).output, list[Lamp] | None)
    assert_type(await agent.execute("go", output={"type": "object"}), AgentResult[Any])
    assert_type(await agent.execute({"instruction": "go"}), AgentResult[Any])
    streaming = automator.agent(stream=True)
    assert_type(streaming, AsyncStreamingAgent)
    stream = await streaming.execute("go", output=TypeAdapter(int))
    assert_type(stream, AsyncAgentStream[int])
    async for event in stream:
        assert_type(event, AgentEvent)
        if event.type == "tool-call":
            assert_type(event.tool_name, str)
    async for piece in stream.text:
        assert_type(piece, str)
    assert_type((await stream.result()).output, int | None)


def never_buys(request: AgentConfirmRequest) -> bool:
    return request.kind != "purchase"


def agents_that_wait(automator: Automator) -> None:
    for event in automator.agent(stream=True).execute("go"):
        assert_type(event, AgentEvent)
    assert_type(automator.agent().execute("go", output=Lamp).output, Lamp | None)
    automator.agent().execute("go", max_step=3)  # type: ignore[call-overload]
