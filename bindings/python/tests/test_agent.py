"""Agents: every option, every error, streams, callbacks, tools, questions, the signal."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from conftest import FACES
from pydantic import BaseModel, field_validator
from rig import Rig, Site, done, text_of, until

from automator import (
    AbortSignal,
    AgentAbortError,
    AgentCallbacks,
    AgentConfirmRequest,
    AgentTool,
    AsyncAutomator,
    AutomatorInvalidArgumentError,
    AutomatorNotInitializedError,
    AutomatorWarning,
    ExperimentalNotConfiguredError,
    MCPConnectionError,
    MissingLLMConfigurationError,
    PageNotFoundError,
    SchemaValidationError,
)

PAGE = """<title>Shop</title><h1>Lamps</h1>
<button onclick="document.title = 'pressed'">Press</button>
<button onclick="document.title = 'bought'">Place order</button>
<input aria-label="Code">"""


def call(name: str, text: str = "", **arguments: Any) -> dict[str, Any]:
    """A call of a tool, as models write it."""
    return {"text": text, "toolCalls": [{"id": f"c{time.monotonic_ns()}", "name": name, "arguments": arguments}]}


def is_closing(request: Any) -> bool:
    return [tool["name"] for tool in request["tools"]] == ["done"]


def press(name: str) -> Callable[[Any], Any]:
    def step(request: Any) -> Any:
        found = re.search(rf"\[(\d+-\d+)\] button: {name}", text_of(request))
        assert found
        return call("act", action=f"click [{found[1]}]")

    return step


def results_of(request: Any) -> list[str]:
    parts = [part for message in request["messages"] for part in message["content"]]
    return [part["content"] for part in parts if part["type"] == "toolResult"]


class Bench:
    """A session whose model plays a script to an agent, and then says that it is through."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.session = rig.session

    async def begin(self, *steps: Any, **closing: Any) -> Bench:
        """The page of the shop, and a new script."""
        await self.rig.reset()
        self.page = await self.rig.open(PAGE)
        script = list(steps)
        tokens = {"prompt": 100, "completion": 20, "reasoning": 3, "cachedInput": 5}

        def answer(request: Any) -> Any:
            if is_closing(request):
                judged = {"reasoning": "all finished", "taskComplete": True, **closing}
                return {**call("done", **judged), "tokens": tokens}
            step = script.pop(0) if script else None
            said = step(request) if callable(step) else step
            return {**(said or {"text": "nothing is left to do"}), "tokens": tokens}

        self.rig.answer = answer
        return self

    async def run(self, *, config: dict[str, Any] | None = None, **options: Any) -> Any:
        return await done(self.session.agent(**(config or {})).execute("use the shop", **options))

    @property
    def turns(self) -> list[Any]:
        return [request for request in self.rig.requests if request["tools"] and not is_closing(request)]

    @property
    def told(self) -> list[str]:
        """What tools have given to the model."""
        return results_of(self.turns[-1])

    async def title(self) -> Any:
        return await done(self.page.title())


@pytest_asyncio.fixture(scope="session", params=list(FACES))
async def shared_bench(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Bench]:
    """An experimental session of each face."""
    rig = Rig(FACES[request.param], site, experimental=True)
    await rig.begin()
    yield Bench(rig)
    await rig.end()


@pytest_asyncio.fixture
async def bench(shared_bench: Bench) -> Bench:
    """The session with the shop open, and a model that has nothing to do."""
    return await shared_bench.begin()


async def listed(items: Any) -> list[Any]:
    return [item async for item in items] if hasattr(items, "__aiter__") else list(items)


async def test_a_task_is_done_and_told_in_full(bench: Bench) -> None:
    await bench.begin(press("Press"))
    result = await done(bench.session.agent().execute("press the button"))
    assert await bench.title() == "pressed"
    assert (result.success, result.completed, result.message) == (True, True, "all finished")
    assert [action.type for action in result.actions] == ["act", "done"]
    act = result.actions[0]
    assert act.page_url == f"{bench.rig.site.url}/"
    assert act.details["action"].startswith("click")
    assert act.details["success"] is True
    assert abs(act.timestamp / 1000 - time.time()) < 60
    assert result.usage.input_tokens >= 200
    assert result.usage.output_tokens > 0
    assert result.output is None
    assert "press the button" in text_of(bench.rig.requests[0])
    assert bench.session.metrics.agent_prompt_tokens >= 200


async def test_steps_are_limited(bench: Bench) -> None:
    await bench.begin(call("think", reasoning="a"), call("wait", timeMs=1), call("think", reasoning="b"))
    result = await bench.run(max_steps=2)
    assert len(bench.turns) == 2
    assert [action.type for action in result.actions] == ["think", "wait", "done"]


async def test_options_may_be_a_dict(bench: Bench) -> None:
    result = await done(bench.session.agent({"mode": "dom"}).execute({"instruction": "use the shop", "max_steps": 1}))
    assert result.success
    assert "use the shop" in text_of(bench.rig.requests[0])


async def test_values_of_variables_reach_only_the_page(bench: Bench) -> None:
    def typing(request: Any) -> Any:
        found = re.search(r"\[(\d+-\d+)\] textbox: Code", text_of(request))
        assert found
        return call("act", action=f'type "%code%" into [{found[1]}]')

    await bench.begin(typing)
    variables = {"code": {"value": "Top-5", "description": "the code of the door"}}
    result = await done(bench.session.agent().execute("type %code%", variables=variables))
    assert await done(bench.page.locator("input").input_value()) == "Top-5"
    assert "Top-5" not in json.dumps(bench.rig.requests) + repr(result)
    assert "the code of the door" in text_of(bench.rig.requests[0])


async def test_a_run_works_on_the_page_that_it_is_given(bench: Bench) -> None:
    other = await done(bench.session.context.new_page(bench.rig.site.put("/other", "<h1>Chairs</h1>")))
    bench.session.context.set_active_page(bench.page)
    await bench.run(page=other)
    assert "Chairs" in text_of(bench.rig.requests[0])
    await done(other.close())
    with pytest.raises(PageNotFoundError):
        await bench.run(page=other)


async def test_limits_of_time_of_tools_and_of_tokens_are_kept_to(bench: Bench) -> None:
    await bench.begin(call("wait", timeMs=5000))
    limited = await bench.run(timeout=300)
    assert not limited.success
    assert "timeout" in limited.message
    await bench.begin(call("wait", timeMs=5000))
    await bench.run(tool_timeout=200)
    assert "200 ms" in bench.told[-1]
    await bench.begin(call("think", reasoning="a"), call("think", reasoning="b"))
    spent = await bench.run(max_tokens=50)
    assert len(bench.turns) == 1
    assert "token" in spent.message
    with pytest.raises(AutomatorInvalidArgumentError, match="price"):
        await bench.run(max_cost=1)


async def test_tools_can_be_left_out_and_instructions_added(bench: Bench) -> None:
    await bench.run(config={"system_prompt": "Speak Dutch.", "mode": "dom"}, exclude_tools=["goto", "extract"])
    names = {tool["name"] for tool in bench.turns[0]["tools"]}
    assert "act" in names
    assert names.isdisjoint({"goto", "extract"})
    assert "Speak Dutch." in text_of(bench.rig.requests[0])
    await bench.begin()
    await bench.run(config={"mode": "hybrid"}, highlight_cursor=True, use_search=False)
    assert "dragAndDrop" in {tool["name"] for tool in bench.turns[0]["tools"]}


class Sum(BaseModel):
    total: int
    unit: str = "EUR"

    @field_validator("total")
    @classmethod
    def small(cls, total: int) -> int:
        if total > 100:
            raise ValueError("too much")
        return total


@dataclass
class Pair:
    a: int


async def test_the_output_is_made_of_the_callers_type(bench: Bench) -> None:
    for output, value, expected in (
        (Sum, {"total": 42}, Sum(total=42)),
        (list[str], ["a"], ["a"]),
        (Pair, {"a": 1}, Pair(1)),
        ({"type": "object", "properties": {"n": {"type": "number"}}}, {"n": 1}, {"n": 1}),
    ):
        await bench.begin(output=value)
        assert (await bench.run(output=output)).output == expected
    await bench.begin(output={"total": 420})
    with pytest.raises(
        SchemaValidationError, match=r"^agent: the value does not fit the schema: /total: .*too much"
    ) as failed:
        await bench.run(output=Sum)
    # What was done is not lost.
    result = failed.value.result
    assert result is not None
    assert result.success
    assert result.output == {"total": 420}


async def test_a_run_goes_on_with_the_messages_of_an_earlier_one(bench: Bench) -> None:
    await bench.begin(call("think", reasoning="the code is 7"))
    earlier = await bench.run()
    await bench.begin()
    await bench.run(messages=earlier.messages)
    assert "the code is 7" in json.dumps(bench.rig.requests[0]["messages"])
    lonely = {"type": "toolCall", "id": "a", "name": "wait", "arguments": {}}
    with pytest.raises(AutomatorInvalidArgumentError, match=r'messages\[0\]\.content\[0\] is a call, .* of "a"'):
        await bench.run(messages=[{"role": "assistant", "content": [lonely]}])
    with pytest.raises(AutomatorInvalidArgumentError, match=r"messages\[0\]"):
        await bench.run(messages=[{"role": "ghost", "content": "boo"}])


async def test_tools_are_functions_or_described(bench: Bench) -> None:
    seen: list[Any] = []

    def weather(city: str, days: int = 1) -> dict[str, Any]:
        """The weather in a city."""
        seen.append((city, days, threading.current_thread() is threading.main_thread()))
        return {"rain": True}

    async def later(pair: Pair) -> Sum:
        await asyncio.sleep(0)
        seen.append(pair)
        return Sum(total=pair.a)

    plain = AgentTool("plain", "Counts.", {"type": "object", "properties": {"b": {"type": "number"}}}, seen.append)
    model = AgentTool("model", "Adds.", Sum, lambda given: f"it is {given.total}")
    steps = [
        call("weather", city="Delft"),
        call("later", pair={"a": 3}),
        call("plain", b=5),
        call("model", total=7),
    ]
    await bench.begin(*steps)
    await bench.run(config={"tools": [weather, later, plain, model]})
    assert seen == [("Delft", 1, False), Pair(3), {"b": 5}]
    weathered, added, counted, said = bench.told
    assert re.search(r'"rain": ?true', weathered)
    assert '"total"' in added
    assert "null" in counted
    assert "it is 7" in said
    told = {tool["name"]: tool for tool in bench.turns[0]["tools"]}
    assert told["weather"]["description"] == "The weather in a city."
    assert set(told["weather"]["parameters"]["properties"]) == {"city", "days"}
    assert told["weather"]["parameters"]["required"] == ["city"]
    assert told["plain"]["description"] == "Counts."
    await bench.begin(call("forecast", city="Delft", days=3))
    await bench.run(config={"tools": {"forecast": weather}})
    assert seen[-1][:2] == ("Delft", 3)


async def test_what_a_tool_raises_goes_back_to_the_model(bench: Bench) -> None:
    def throws() -> None:
        raise ValueError("no umbrella")

    async def rejects() -> None:
        raise RuntimeError("no coat")

    def picky(n: int) -> int:
        return n

    await bench.begin(call("throws"), call("rejects"), call("picky", n="x"), call("odd"))
    odd = AgentTool("odd", "", {"type": "object"}, lambda _: object())
    result = await bench.run(config={"tools": [throws, rejects, picky, odd]})
    assert result.success
    assert "no umbrella" in bench.told[0]
    assert "no coat" in bench.told[1]
    assert "n" in bench.told[2]
    assert [action.details["success"] for action in result.actions[:4]] == [False] * 4


async def test_a_tool_that_nobody_waits_for_is_cancelled(bench: Bench) -> None:
    if bench.rig.face is not AsyncAutomator:
        pytest.skip("threads cannot be cancelled")
    cancelled = []

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    await bench.begin(call("slow"))
    await bench.run(config={"tools": [slow]}, tool_timeout=200)
    await until(lambda: cancelled)


async def test_a_stream_has_the_words_the_events_and_the_result(bench: Bench) -> None:
    await bench.begin(call("think", "thinking aloud", reasoning="plan"), output={"total": 7})
    stream = await done(bench.session.agent(stream=True).execute("go", output=Sum))
    text = "".join(await listed(stream.text))
    events = await listed(stream)
    result = await done(stream.result())
    assert "thinking aloud" in text
    assert "".join(await listed(stream.text)) == text
    assert events[0].type == "start-step"
    assert events[-1].type == "finish"
    assert events[-1].result is result
    assert result.output == Sum(total=7)
    called = next(event for event in events if event.type == "tool-call")
    assert (called.step, called.tool_name, called.input) == (1, "think", {"reasoning": "plan"})
    given = next(event for event in events if event.type == "tool-result")
    assert (given.tool_call_id, given.action.type, given.is_error) == (called.tool_call_id, "think", False)
    assert [event.usage.input_tokens for event in events if event.type == "finish-step"] == [100, 200]


async def test_a_stream_can_be_closed(bench: Bench) -> None:
    await bench.begin(call("wait", timeMs=8000))
    began = time.monotonic()
    stream = await done(bench.session.agent(stream=True).execute("go"))
    stream.close()
    assert (await listed(stream))[-1].type == "abort"
    with pytest.raises(AgentAbortError, match="closed"):
        await done(stream.result())
    assert time.monotonic() - began < 5


async def test_a_stream_that_cannot_begin_raises_at_once(bench: Bench) -> None:
    agent = bench.session.agent(stream=True)
    with pytest.raises(AutomatorInvalidArgumentError, match="empty"):
        await done(agent.execute(" "))
    signal = AbortSignal()
    signal.abort()
    with pytest.raises(AgentAbortError):
        await done(agent.execute("go", signal=signal))


async def test_callbacks_are_told_what_happens(bench: Bench) -> None:
    await bench.begin(call("think", "first this", reasoning="plan"))
    told: list[tuple[str, Any]] = []

    async def on_finish(result: Any) -> None:
        told.append(("finish", result))

    callbacks = AgentCallbacks(
        on_step_finish=lambda step: told.append(("step", step)),
        on_chunk=lambda chunk: told.append(("chunk", chunk.type)),
        on_finish=on_finish,
    )
    result = await bench.run(callbacks=callbacks)
    await until(lambda: told and told[-1][0] == "finish")
    assert told[-1][1] is result
    steps = [step for name, step in told if name == "step"]
    assert [(step.step, step.finish_reason) for step in steps] == [(1, "tool-calls"), (2, "stop")]
    assert steps[0].text == "first this"
    assert [call.tool_name for call in steps[0].tool_calls] == ["think"]
    assert [given.action.type for given in steps[0].tool_results] == ["think"]
    assert {"text-delta", "tool-call", "tool-result"} <= {kind for name, kind in told if name == "chunk"}


async def test_callbacks_are_told_of_errors_and_aborts_and_may_raise(bench: Bench) -> None:
    told: list[Any] = []
    with pytest.raises(AutomatorInvalidArgumentError) as wrong:
        await done(bench.session.agent().execute(" ", callbacks={"on_error": told.append}))
    await until(lambda: told)
    assert told[0].error is wrong.value
    await bench.begin(call("think", reasoning="a"), call("wait", timeMs=8000))
    signal = AbortSignal()

    def on_step_finish(_: Any) -> None:
        signal.abort("enough")
        raise ValueError("not today")

    async def aborted() -> AgentAbortError:
        with pytest.raises(AgentAbortError, match="enough") as raised:
            await bench.run(signal=signal, callbacks={"on_step_finish": on_step_finish, "on_abort": told.append})
        await until(lambda: len(told) == 2)
        return raised.value

    with pytest.warns(AutomatorWarning, match="not today"):
        error = await aborted()
    assert told[1].error is error
    assert len(told[1].steps) == 1


async def test_a_signal_ends_a_run(bench: Bench) -> None:
    await bench.begin(call("wait", timeMs=8000))
    signal = AbortSignal()
    assert (signal.aborted, signal.reason) == (False, None)
    threading.Timer(0.3, signal.abort, ["the user has left"]).start()
    began = time.monotonic()
    with pytest.raises(AgentAbortError, match="the user has left"):
        await bench.run(signal=signal)
    assert time.monotonic() - began < 5
    assert (signal.aborted, signal.reason) == (True, "the user has left")


async def test_a_task_that_is_cancelled_ends_its_run(bench: Bench) -> None:
    if bench.rig.face is not AsyncAutomator:
        pytest.skip("there is no task")
    await bench.begin(call("wait", timeMs=1500), call("think", reasoning="late"))
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(bench.run(), 0.5)
    await asyncio.sleep(1.5)
    assert len(bench.turns) == 1


async def test_confirm_is_asked_before_what_cannot_be_taken_back(bench: Bench) -> None:
    asked: list[AgentConfirmRequest] = []

    async def confirm(request: AgentConfirmRequest) -> bool:
        asked.append(request)
        return True

    await bench.begin(press("Place order"))
    await bench.run(confirm=confirm)
    assert await bench.title() == "bought"
    assert [(request.kind, request.url) for request in asked] == [("purchase", f"{bench.rig.site.url}/")]
    assert "Place order" in asked[0].description
    assert asked[0].selector


def refuses(_: Any) -> Any:
    return False


def says_nothing(_: Any) -> Any:
    return None


async def refuses_later(_: Any) -> Any:
    return False


@pytest.mark.parametrize("confirm", [refuses, says_nothing, refuses_later])
async def test_all_but_true_is_a_refusal(bench: Bench, confirm: Any) -> None:
    await bench.begin(press("Place order"))
    result = await bench.run(confirm=confirm)
    assert await bench.title() == "Shop"
    assert result.actions[0].details["success"] is False


async def test_what_confirm_raises_is_a_refusal_and_told(bench: Bench) -> None:
    def confirm(_: Any) -> bool:
        raise ValueError("nobody is here")

    await bench.begin(press("Place order"))
    with pytest.warns(AutomatorWarning, match="nobody is here"):
        await bench.run(confirm=confirm)
    assert await bench.title() == "Shop"


EXPERIMENTAL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "stream": ({"stream": True}, {}),
    "callbacks": ({}, {"callbacks": {"on_finish": print}}),
    "signal": ({}, {"signal": AbortSignal()}),
    "messages": ({}, {"messages": []}),
    "exclude_tools": ({}, {"exclude_tools": ["goto"]}),
    "output": ({}, {"output": Sum}),
    "tools": ({"tools": [says_nothing]}, {}),
}


@pytest.mark.parametrize("what", list(EXPERIMENTAL))
async def test_parts_need_an_experimental_session(rig: Rig, what: str) -> None:
    config, options = EXPERIMENTAL[what]
    with pytest.raises(ExperimentalNotConfiguredError, match="experimental"):
        await done(rig.session.agent(**config).execute("go", **options))


async def test_tools_of_a_server_by_the_model_context_protocol_are_the_models_as_well(bench: Bench) -> None:
    server = {
        "command": sys.executable,
        "args": [str(Path(__file__).with_name("mcp_server.py"))],
        "env": {"SPEAKER": "the wind"},
    }
    await bench.begin(call("weather", city="Bonn"))
    result = await bench.run(config={"integrations": [server]})
    assert result.success, result.message
    assert result.actions[0].type == "weather"
    assert "rain in Bonn, said the wind" in str(bench.told)


@pytest.mark.parametrize("server", [{"command": "no-such-program"}, "http://127.0.0.1:9/mcp?key=secret"])
async def test_what_is_no_server_of_tools_is_told(bench: Bench, server: Any) -> None:
    with pytest.raises(MCPConnectionError, match=r"no-such-program|127\.0\.0\.1:9") as raised:
        await bench.run(config={"integrations": [server]})
    assert "secret" not in f"{raised.value} {raised.value.hint}"
    assert bench.rig.requests == []


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a mode that is none": (lambda it: it.agent(mode="fast"), r"config\.mode must be"),
    "a stream that is none": (lambda it: it.agent(stream="yes"), r"config\.stream must be true or false"),
    "an inner model that is none": (lambda it: it.agent(execution_model=5), r"execution_model|model"),
    "integrations": (lambda it: it.agent(integrations=[5]), "integrations"),
    "tools that are a number": (lambda it: it.agent(tools=5), "options.tools must be a list of functions"),
    "a tool that is a number": (lambda it: it.agent(tools=[5]), "a tool must be a function or an AgentTool, not 5"),
    "a tool that does nothing": (lambda it: it.agent(tools=[AgentTool("a", "b")]), "the call of the tool 'a'"),
    "a tool of a list": (lambda it: it.agent(tools=[AgentTool("a", "b", list[str], print)]), "those of an object"),
    "a tool of a wrong kind": (lambda it: it.agent(tools=[AgentTool("a", "b", 5, print)]), "the tool 'a'"),
    "a tool whose name is taken": (lambda it: it.agent(tools={"act": says_nothing}).execute("go"), '"act" already'),
    "an empty task": (lambda it: it.agent().execute(" "), "the instruction is empty"),
    "a task that is a number": (lambda it: it.agent().execute(5), r"options\.instruction"),
    "no steps": (
        lambda it: it.agent().execute("go", max_steps=0),
        "max_steps must be a whole number of at least 1, not 0",
    ),
    "half a token": (lambda it: it.agent().execute("go", max_tokens=1.5), "max_tokens must be a whole number"),
    "an inner model without a provider": (
        lambda it: it.agent(execution_model="x"),
        "execution_model must have the form",
    ),
    "a broken price": (
        lambda it: it.agent(model={"modelName": "a/b", "price": {"input": 1}}),
        r"model\.price\.output is missing: it must be a number",
    ),
    "half a step": (lambda it: it.agent().execute("go", max_steps=1.5), r"options\.max_steps"),
    "a limit that is a text": (lambda it: it.agent().execute("go", tool_timeout="1s"), r"options\.tool_timeout"),
    "a search": (lambda it: it.agent().execute("go", use_search=True), "search"),
    "a tool to leave out that nobody knows": (lambda it: it.agent().execute("go", exclude_tools="fly"), "fly"),
    "an output that is no schema": (lambda it: it.agent().execute("go", output="text"), "agent: the schema must be"),
    "a signal that is none": (lambda it: it.agent().execute("go", signal=5), r"options\.signal must be an AbortSignal"),
    "callbacks that are none": (lambda it: it.agent().execute("go", callbacks=5), r"options\.callbacks must be"),
    "a callback that is none": (
        lambda it: it.agent().execute("go", callbacks={"on_chunk": 5}),
        r"options\.callbacks\.on_chunk must be a function, not 5",
    ),
    "a question that is none": (lambda it: it.agent().execute("go", confirm=True), r"options\.confirm must be"),
    "messages that are none": (lambda it: it.agent().execute("go", messages="hello"), r"options\.messages"),
}


@pytest.mark.parametrize("what", list(WRONG))
async def test_wrong_arguments_are_refused_by_name(bench: Bench, what: str) -> None:
    wrong, words = WRONG[what]
    with pytest.raises(AutomatorInvalidArgumentError, match=words):
        await done(wrong(bench.session))


async def test_names_that_nobody_knows_are_refused(bench: Bench) -> None:
    with pytest.raises(TypeError, match="did you mean 'on_step_finish'"):
        await done(bench.session.agent().execute("go", callbacks={"on_step_finished": print}))
    with pytest.raises(TypeError, match="did you mean 'max_steps'"):
        await done(bench.session.agent().execute("go", {"maxSteps": 1}))


async def test_nothing_is_done_before_init_and_without_a_model(
    face: Any, launch: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AutomatorNotInitializedError):
        await done(face("LOCAL").agent().execute("go"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    session = face("LOCAL", model="openai/gpt-4.1-mini", local_browser_launch_options=launch)
    await done(session.init())
    try:
        with pytest.raises(MissingLLMConfigurationError):
            await done(session.agent().execute("go"))
    finally:
        await done(session.close())


class ComputerUser:
    """A server that answers as Anthropic does: it presses a place, says that it is through, and judges."""

    def __init__(self) -> None:
        self.beta: list[str | None] = []
        user = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                user.beta.append(self.headers.get("anthropic-beta"))
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                usage = {"input_tokens": 100, "output_tokens": 20}
                content = json.dumps(
                    {"content": [user.answer(asked)], "stop_reason": "end_turn", "usage": usage}
                ).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self.model = {"modelName": "anthropic/claude-sonnet-4-5", "apiKey": "key", "baseURL": base_url}

    def answer(self, asked: Any) -> dict[str, Any]:
        if asked["tools"][0]["name"] == "done":
            judged = {"reasoning": "pressed it", "taskComplete": True}
            return {"type": "tool_use", "id": "d", "name": "done", "input": judged}
        if len(asked["messages"]) == 1:
            place = {"action": "left_click", "coordinate": [100, 25]}
            return {"type": "tool_use", "id": "t", "name": "computer", "input": place}
        return {"type": "text", "text": "That is all."}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


async def test_a_model_that_uses_computers_is_shown_the_window_and_presses_a_place(bench: Bench) -> None:
    page = await bench.rig.open(
        "<style>body { margin: 0 } button { width: 200px; height: 50px }</style>"
        "<button onclick=\"document.title = 'pressed'\">Press</button>"
    )
    user = ComputerUser()
    try:
        agent = bench.session.agent(mode="cua", model=user.model)
        result = await done(agent.execute("press it"))
        assert (result.success, result.message) == (True, "pressed it")
        assert await done(page.title()) == "pressed"
        assert [action.type for action in result.actions] == ["click", "done"]
        assert result.actions[0].details["coordinates"] == [100, 25]
        assert result.usage.input_tokens == 300
        assert user.beta[0] == "computer-use-2025-01-24"
        with pytest.raises(AutomatorInvalidArgumentError, match="variables"):
            await done(agent.execute("go", variables={"a": "b"}))
        with pytest.raises(AutomatorInvalidArgumentError, match="does not use computers"):
            await done(bench.session.agent(mode="cua", model="openai/gpt-4.1-mini").execute("go"))
    finally:
        user.close()
