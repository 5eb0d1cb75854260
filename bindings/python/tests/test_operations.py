"""The operations with a model, of version 3 and of version 2."""

from __future__ import annotations

import json
from typing import Any

import pydantic
import pytest
from rig import Rig, done, id_of, reply, text_of

from automator import (
    Action,
    AutomatorInvalidArgumentError,
    Extraction,
    ExtractTimeoutError,
    LLMResponseError,
    PageText,
    Variable,
    WithCacheStatus,
)

SHOP = """<title>Shop</title><main><h1>Lamps</h1><p>Arc lamp, € 49.00</p><a href="/arc">Arc</a></main>
  <button onclick="document.title = 'bought'">Buy</button><input aria-label="Code">"""


class Lamp(pydantic.BaseModel):
    name: str
    price: float
    link: pydantic.HttpUrl


class Names(pydantic.BaseModel):
    names: list[str]


async def test_the_page_is_read_without_a_model(rig: Rig) -> None:
    await rig.open(SHOP)
    read = await done(rig.session.extract())
    assert isinstance(read, PageText)
    assert "heading: Lamps" in read.page_text
    assert read.cache_status is None
    for part in (
        await done(rig.session.extract(selector="main")),
        await done(rig.session.extract({"selector": "main"})),
        await done(rig.session.extract(options={"selector": "main"})),
        await done(rig.session.page_text(selector="main")),
        await done(rig.session.page_text(ignore_selectors="button")),
        await done(rig.session.page_text(ignore_selectors=["button", ".none"])),
    ):
        assert "Lamps" in part.page_text
        assert "Buy" not in part.page_text


async def test_an_instruction_alone_gives_text(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda request: reply({next(iter(request["responseFormat"]["schema"]["properties"])): "€ 49.00"})
    assert await done(rig.session.extract("the price")) == Extraction("€ 49.00")
    assert "the price" in text_of(rig.requests[0])


async def test_a_model_gives_an_instance_with_addresses(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda request: reply({"name": "Arc", "price": "49", "link": id_of(request, "link: Arc")})
    lamp = await done(rig.session.extract("the lamp", Lamp))
    assert lamp == Lamp(name="Arc", price=49.0, link=pydantic.HttpUrl(f"{rig.site.url}/arc"))


async def test_options_of_a_call_come_as_keywords_or_as_a_dict(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda _: reply({"names": ["Arc"]})
    for given in (
        await done(rig.session.extract("the names", Names, selector="main")),
        await done(rig.session.extract("the names", Names, {"selector": "main"})),
        await done(rig.session.extract("the names", Names, options={"selector": "main"})),
        await done(rig.session.extract("the names", schema=Names, page=rig.page, selector="main")),
        await done(rig.session.extract({"instruction": "the names", "schema": Names, "selector": "main"})),
    ):
        assert given == Names(names=["Arc"])
    assert all("Buy" not in text_of(request) for request in rig.requests)
    with pytest.raises(TypeError, match="options are given twice"):
        await done(rig.session.extract("the names", Names, {"selector": "main"}, options={"selector": "main"}))
    with pytest.raises(TypeError, match="selector is given twice"):
        await done(rig.session.extract("the names", Names, {"selector": "main"}, selector="main"))


async def test_calls_of_other_libraries_are_refused_with_the_one_that_is_meant(rig: Rig) -> None:
    for name in ("action", "instruction"):
        with pytest.raises(TypeError, match=f"as a text of its own, not as '{name}'"):
            await done(rig.session.act({name: "press the button"}))
    with pytest.raises(TypeError, match="a schema is given as schema="):
        await done(rig.page.extract("the names", Names))


async def test_halves_of_characters_are_replaced_where_they_go_as_json(rig: Rig) -> None:
    await rig.open("<input id=field>")
    half = "a" + chr(0xD83D) + "b"
    assert await done(rig.page.evaluate("(text) => text", half)) == "a\ufffdb"
    assert await done(rig.page.evaluate("(text) => text", "\U0001f600")) == "\U0001f600"
    await done(rig.session.act({"selector": "#field", "method": "fill", "arguments": [half]}))
    assert await done(rig.page.locator("#field").input_value()) == "a\ufffdb"
    for text in ('{"extraction":"a\\ud83db"}', json.dumps({"extraction": half}, ensure_ascii=False)):
        rig.answer = lambda _, text=text: {"text": text}
        assert (await done(rig.session.extract("the text"))).extraction == "a\ufffdb"


async def test_a_screenshot_goes_with_the_text(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda _: reply({"names": ["Arc"]})
    await done(rig.session.extract("the names", Names, screenshot=True))
    images = [part for message in rig.requests[0]["messages"] for part in message["content"] if part["type"] == "image"]
    assert [image["mediaType"] for image in images] == ["image/png"]


async def test_the_places_on_the_page_come_along(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda _: reply({"names": ["Arc", "Nowhere"]})
    found = await done(rig.session.extract_with_provenance("the lamps", Names))
    assert found.value == Names(names=["Arc", "Nowhere"])
    assert found.provenance["/names/0"][0].xpath.startswith("/html[1]")
    assert found.provenance["/names/1"] == []
    rig.answer = lambda request: reply({next(iter(request["responseFormat"]["schema"]["properties"])): "Arc"})
    text = await done(rig.session.extract_with_provenance("the lamp"))
    assert text.value == "Arc"
    assert text.provenance[""]


async def test_act_and_observe_work_with_actions(rig: Rig) -> None:
    await rig.open(SHOP)

    def answer(request: Any) -> Any:
        wanted = {"elementId": id_of(request, "button: Buy"), "description": "buy", "method": "click", "arguments": []}
        is_list = "elements" in request["responseFormat"]["schema"]["properties"]
        return reply({"elements": [wanted]} if is_list else {"action": wanted, "twoStep": False})

    rig.answer = answer
    [found] = await done(rig.session.observe("what buys"))
    assert found == Action("xpath=/html[1]/body[1]/button[1]", "buy", "click", [])
    acted = await done(rig.session.act(found))
    assert (acted.success, acted.actions) == (True, [found])
    assert await done(rig.page.title()) == "bought"

    for action in (found, {"selector": found.selector, "method": "click"}):
        await rig.open(SHOP)
        assert (await done(rig.page.act(action))).success
        assert await done(rig.page.title()) == "bought"

    await rig.open(SHOP)
    acted = await done(rig.page.act("buy it", timeout=20_000))
    assert (acted.success, acted.action_description, acted.actions) == (True, "buy", [found])
    await rig.open(SHOP)
    assert await done(rig.page.observe("what buys", selector="body")) == [found]
    assert await done(rig.session.observe({"selector": "body", "page": rig.page})) == [found]


async def test_a_browser_of_this_machine_has_no_cache_status(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda request: reply({next(iter(request["responseFormat"]["schema"]["properties"])): "Arc"})
    told = WithCacheStatus("Arc", None)
    assert await done(rig.session.extract_with_cache_status("the name")) == told
    assert await done(rig.session.extract_with_cache_status("the name", str, {"selector": "main"})) == told
    rig.answer = lambda _: reply({"names": ["Arc"]})
    found = await done(rig.session.extract_with_cache_status("the names", Names, page=rig.page))
    assert found == WithCacheStatus(Names(names=["Arc"]))
    rig.answer = lambda _: reply({"elements": []})
    assert await done(rig.session.observe_with_cache_status({"selector": "main"})) == WithCacheStatus([])


async def test_what_cannot_be_done_is_no_error(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda _: reply({"action": None, "twoStep": False})
    acted = await done(rig.session.act("fly"))
    assert not acted.success
    assert acted.message


async def test_variables_reach_the_page_and_nothing_else(rig: Rig) -> None:
    for given in ("S3cret", Variable("S3cret", "the code"), {"value": "S3cret", "description": "the code"}):
        await rig.open(SHOP)
        rig.answer = lambda request: reply(
            {
                "action": {
                    "elementId": id_of(request, "textbox: Code"),
                    "description": "code",
                    "method": "fill",
                    "arguments": ["%code%"],
                },
                "twoStep": False,
            }
        )
        acted = await done(rig.session.act("type %code% as the code", variables={"code": given}))
        assert acted.success, acted.message
        assert await done(rig.page.locator("input").input_value()) == "S3cret"
        assert "S3cret" not in repr([rig.requests, acted, rig.session.history])
        assert "S3cret" not in repr(Variable("S3cret"))


async def test_version_2_is_on_the_page(rig: Rig) -> None:
    await rig.open(SHOP)
    read = await done(rig.page.extract())
    assert list(read) == ["pageText"]
    assert "heading: Lamps" in read["pageText"]
    rig.answer = lambda request: reply({next(iter(request["responseFormat"]["schema"]["properties"])): "49"})
    assert await done(rig.page.extract("the price")) == {"extraction": "49"}
    assert await done(rig.page.extract(instruction="the price", dom_settle_timeout_ms=0)) == {"extraction": "49"}
    rig.answer = lambda _: reply({"names": ["Arc"]})
    given = {"instruction": "the names", "schema": Names, "selector": "xpath=//main", "iframes": True}
    assert await done(rig.page.extract(**given)) == Names(names=["Arc"])
    assert await done(rig.page.extract(given)) == Names(names=["Arc"])
    assert "Buy" not in text_of(rig.requests[-1])
    schema = {"type": "object", "properties": {"names": {"type": "array"}}}
    assert await done(rig.page.extract("the names", schema=schema)) == {"names": ["Arc"]}
    with pytest.raises(AutomatorInvalidArgumentError, match="object"):
        await done(rig.page.extract(instruction="the names", schema=list[str]))


async def test_version_2_leaves_frames_out_unless_it_is_told_to(rig: Rig) -> None:
    await rig.open("<h1>Out</h1><iframe srcdoc='<p>inside'></iframe>")
    await done(rig.page.wait_for_selector("iframe >> p"))
    rig.answer = lambda _: reply({"names": []})
    await done(rig.page.extract(instruction="the names", schema=Names))
    await done(rig.page.extract(instruction="the names", schema=Names, iframes=True))
    assert ["inside" in text_of(request) for request in rig.requests] == [False, True]


async def test_metrics_and_history_tell_what_has_been(rig: Rig) -> None:
    await rig.open(SHOP)
    rig.answer = lambda _: reply({"names": ["Arc"]})
    before = rig.session.metrics
    await done(rig.session.extract("the names", Names))
    metrics = rig.session.metrics
    assert metrics.extract_prompt_tokens - before.extract_prompt_tokens == 100
    assert metrics.total_reasoning_tokens - before.total_reasoning_tokens == 3
    assert metrics.act_prompt_tokens == before.act_prompt_tokens
    history = rig.session.history
    assert (history[-1].method, history[-1].result) == ("extract", {"names": ["Arc"]})
    assert history[-1].timestamp.endswith("Z")
    assert any(entry.method == "navigate" for entry in history)


async def test_a_model_client_that_raises_or_chats_ends_the_call_with_an_error_of_ours(rig: Rig) -> None:
    await rig.open(SHOP)

    def broken(request: Any) -> Any:
        raise ValueError("out of order")

    rig.answer = broken
    with pytest.raises(LLMResponseError, match="out of order") as raised:
        await done(rig.session.extract("the names", Names))
    assert isinstance(raised.value.__cause__, ValueError)
    assert len(rig.requests) == 1
    rig.answer = lambda _: "I would rather chat"
    with pytest.raises(LLMResponseError):
        await done(rig.session.extract("the names", Names))
    rig.answer = lambda _: None
    with pytest.raises(LLMResponseError):
        await done(rig.session.extract("the names", Names))


async def test_what_may_pass_is_tried_again(rig: Rig) -> None:
    await rig.open(SHOP)

    class Busy(Exception):
        status_code = 429
        retry_after = 0.01

    failures: list[Exception] = [Busy("busy"), ConnectionResetError("gone")]

    def failing(request: Any) -> Any:
        if failures:
            raise failures.pop(0)
        return reply({"names": ["Arc"]})

    rig.answer = failing
    assert (await done(rig.session.extract("the names", Names))).names == ["Arc"]
    assert len(rig.requests) == 3


async def test_a_model_client_that_hangs_ends_with_its_call(rig: Rig) -> None:
    import threading

    await rig.open(SHOP)
    release = threading.Event()
    rig.answer = lambda _: release.wait(30) and reply({"names": ["late"]})
    with pytest.raises(ExtractTimeoutError) as raised:
        await done(rig.session.extract("the names", Names, timeout=200))
    assert isinstance(raised.value, TimeoutError)
    release.set()
    rig.answer = lambda _: reply({"names": ["in time"]})
    assert (await done(rig.session.extract("the names", Names))).names == ["in time"]


async def test_the_page_of_a_call_is_one_of_ours_and_of_this_session(rig: Rig) -> None:
    await rig.open(SHOP)
    other = await done(rig.session.context.new_page())
    await done(other.goto(rig.site.put("/other", "<h1>Other</h1>")))
    rig.session.context.set_active_page(rig.page)
    assert "Other" in (await done(rig.session.extract(page=other))).page_text
    assert "Other" in (await done(other.extract()))["pageText"]
    for wrong in ({"hello": 1}, "page", 5):
        with pytest.raises(AutomatorInvalidArgumentError):
            await done(rig.session.extract(page=wrong))


async def test_the_session_has_no_remote_side(rig: Rig) -> None:
    session = rig.session
    assert (session.remote_session_id, session.remote_session_url, session.remote_debug_url) == (None, None, None)
    assert session.connect_url().startswith("ws://127.0.0.1:")
