"""Pages, frames, locators, responses, and what belongs to all pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, done, until

import automator
from automator import (
    AutomatorInvalidArgumentError,
    Clip,
    DomainPolicy,
    ElementPosition,
    FilePayload,
    NavigationError,
    NewCookie,
    Point,
)

START = """<title>Start</title><h1>Start</h1><a id=out target=_blank href="/next">next</a>
  <input id=text><input id=file type=file multiple><select id=size><option>S<option>L</select>
  <input id=box type=checkbox><button id=off disabled>Off</button><div id=pad style="width:100px;height:50px"></div>"""

# Tells what it gets in `told`.
LISTENING = """<title>Listening</title><body style="margin:0;height:3000px"><script>
  window.told = [];
  for (const name of ["click", "dblclick", "mouseover", "touchstart", "mousedown", "mouseup", "keydown", "wheel"])
    addEventListener(name, (event) => told.push([name, event.target.id, event.button, event.key, event.shiftKey]));
</script><button id=one style="position:absolute;left:0;top:0;width:80px;height:40px">One</button>
<button id=two style="position:absolute;left:200px;top:100px;width:80px;height:40px">Two</button>
<input id=field style="position:absolute;left:400px;top:0">"""


async def told(rig: Rig) -> list[list[Any]]:
    events: list[list[Any]] = await done(rig.page.evaluate("window.told"))
    return events


async def test_there_is_one_object_a_page(rig: Rig) -> None:
    context = rig.session.context
    assert context is rig.session.context
    assert context.pages() == [rig.page]
    assert rig.page.context() is context
    second = await done(context.new_page(rig.site.put("/next", "<title>Next</title>")))
    assert context.active_page() is second
    assert await done(context.await_active_page()) is second
    assert context.pages() == [rig.page, second]
    context.set_active_page(rig.page)
    assert context.active_page() is rig.page
    assert not second.is_closed()
    await done(second.close())
    assert second.is_closed()
    with pytest.raises(TypeError, match="a page of this session"):
        context.set_active_page("page")
    assert rig.page.target_id() == rig.page.main_frame_id()
    assert "about:blank" in repr(rig.page)


async def test_a_response_tells_what_the_server_answered(rig: Rig) -> None:
    url = rig.site.put("/", START, {"x-kind": "lamp"})
    response = await done(rig.page.goto(url, wait_until="load", timeout_ms=10_000))
    assert (response.status(), response.ok(), response.url(), response.status_text()) == (200, True, url, "OK")
    assert response.mime_type() == "text/html"
    assert response.headers()["x-kind"] == "lamp"
    assert not response.from_service_worker()
    assert response.security_details() is None
    assert response.server_addr().ip_address == "127.0.0.1"
    assert await done(response.header_value("X-Kind")) == "lamp"
    assert await done(response.header_values("x-kind")) == ["lamp"]
    assert (await done(response.all_headers()))["x-kind"] == "lamp"
    assert "x-kind" in [header.name for header in await done(response.headers_array())]
    assert await done(response.finished()) is None
    assert await done(response.body()) == START.encode()
    assert await done(response.text()) == START
    assert response.frame().url() == url
    assert response.frame().page() is rig.page
    assert (await done(rig.page.goto(f"{rig.site.url}/gone"))).status() == 404
    with pytest.raises(NavigationError):
        await done(rig.page.goto("http://127.0.0.1:1/"))
    answer = await done(rig.page.goto(f"{rig.site.url}/echo"))
    assert "User-Agent" in await done(answer.json())


async def test_pages_go_forth_and_back(rig: Rig) -> None:
    await rig.open(START)
    next_url = rig.site.put("/next", "<title>Next</title>")
    await done(rig.page.goto(next_url))
    assert rig.page.url() == next_url
    assert (await done(rig.page.go_back(wait_until="load"))).url() == f"{rig.site.url}/"
    assert await done(rig.page.title()) == "Start"
    await done(rig.page.go_forward())
    await done(rig.page.wait_for_load_state())
    await done(rig.page.wait_for_load_state("load", 5000))
    assert await done(rig.page.title()) == "Next"
    assert (await done(rig.page.reload({"ignore_cache": True}))).status() == 200
    await done(rig.page.wait_for_timeout(1))


async def test_javascript_runs_in_the_page(rig: Rig) -> None:
    await rig.open(START)
    assert await done(rig.page.evaluate("([a, b]) => a + b", [1, 2])) == 3
    assert await done(rig.page.evaluate("document.title")) == "Start"
    assert await done(rig.page.evaluate("({ list: [1, null, 'ä'], deep: { is: true } })")) == {
        "list": [1, None, "ä"],
        "deep": {"is": True},
    }
    with pytest.raises(automator.AutomatorEvalError, match="missing is not defined"):
        await done(rig.page.evaluate("missing.thing"))
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(rig.page.evaluate("(x) => x", {1, 2}))
    frame = rig.page.main_frame()
    assert await done(frame.evaluate("(x) => x * 2", 4)) == 8


async def test_frames_are_found_and_looked_into(rig: Rig) -> None:
    await rig.open("<iframe name=inner srcdoc='<p id=in>inside</p><input>'></iframe>")
    await done(rig.page.wait_for_selector("iframe >> #in", state="visible"))
    main, inner = rig.page.frames()
    assert (inner.name(), inner.url(), inner.page()) == ("inner", "about:srcdoc", rig.page)
    assert inner.parent_frame().id() == main.id() == rig.page.main_frame().id()
    assert main.parent_frame() is None
    assert await done(inner.locator("#in").text_content()) == "inside"
    for found in (
        rig.page.deep_locator("iframe >> #in"),
        rig.page.frame_locator("iframe").locator("#in"),
        main.deep_locator("iframe >> #in"),
        main.frame_locator("iframe").locator("#in"),
    ):
        assert await done(found.inner_text()) == "inside"
    nested = rig.page.frame_locator("iframe").frame_locator("iframe").locator("p")
    with pytest.raises(automator.AutomatorError):
        await done(nested.inner_text())


async def test_elements_are_read(rig: Rig) -> None:
    await rig.open(START)
    heading = rig.page.locator("h1")
    assert heading.selector == "h1"
    assert "'h1'" in repr(heading)
    assert await done(heading.text_content()) == "Start"
    assert await done(heading.inner_html()) == "Start"
    assert await done(rig.page.locator("#out").get_attribute("target")) == "_blank"
    assert await done(rig.page.locator("#out").get_attribute("none")) is None
    assert await done(rig.page.locator("option").count()) == 2
    assert await done(rig.page.locator("option").nth(1).text_content()) == "L"
    assert await done(rig.page.locator("option").first().text_content()) == "S"
    assert await done(heading.is_visible())
    assert not await done(rig.page.locator("#none").is_visible())
    assert not await done(rig.page.locator("#off").is_enabled())
    assert not await done(rig.page.locator("#box").is_checked())
    box = await done(rig.page.locator("#pad").bounding_box())
    assert (box.width, box.height) == (100, 50)
    assert await done(rig.page.locator("title").bounding_box()) is None
    middle = await done(rig.page.locator("#pad").centroid())
    assert middle == Point(box.x + 50, box.y + 25)
    assert await done(heading.backend_node_id()) > 0
    with pytest.raises(AutomatorInvalidArgumentError):
        heading.nth(-1)


async def test_elements_are_filled_chosen_and_given_files(rig: Rig, tmp_path: Path) -> None:
    page = await rig.open(START)
    text = page.locator("#text")
    await done(text.fill("words", timeout=3000))
    assert await done(text.input_value()) == "words"
    await done(text.type(" more", delay=1))
    await done(text.press("Home"))
    await done(text.type("x"))
    assert await done(text.input_value()) == "xwords more"
    assert await done(page.locator("#size").select_option("L")) == ["L"]
    assert await done(page.locator("#size").select_option(["S"])) == ["S"]
    await done(page.locator("#box").set_checked(True))
    assert await done(page.locator("#box").is_checked())
    path = tmp_path / "c.txt"
    path.write_text("from disk")
    files = page.locator("#file")
    read = "Promise.all([...document.querySelector('#file').files].map(async f => [f.name, f.type, await f.text()]))"
    await done(files.set_input_files(path))
    assert await done(page.evaluate(read)) == [["c.txt", "text/plain", "from disk"]]
    await done(files.set_input_files([FilePayload("a.csv", b"x,y", "text/csv", 1000), FilePayload("b", "ä"), path]))
    assert await done(page.evaluate(read)) == [["a.csv", "text/csv", "x,y"], ["b", "", "ä"], ["c.txt", "", "from disk"]]
    await done(files.set_input_files([]))
    assert await done(page.evaluate(read)) == []
    with pytest.raises(TypeError, match="FilePayload"):
        await done(files.set_input_files([5]))


async def test_elements_get_the_input_of_a_person(rig: Rig) -> None:
    page = await rig.open(LISTENING)
    one = page.locator("#one")
    await done(one.click(modifiers=["Shift"], position=ElementPosition(5, 5), button="left", click_count=1))
    await done(one.double_click())
    await done(page.locator("#two").hover())
    await done(one.tap())
    await done(page.locator("#field").focus())
    events = await told(rig)
    assert ["click", "one", 0, None, True] in events
    assert [event[:2] for event in events].count(["dblclick", "one"]) == 1
    assert ["mouseover", "two"] in [event[:2] for event in events]
    assert await done(page.evaluate("document.activeElement.id")) == "field"
    await done(one.drag_to(page.locator("#two"), steps=3, from_={"x": 5, "y": 5}, to=ElementPosition(5, 5)))
    assert ["mouseup", "two"] in [event[:2] for event in await told(rig)]
    with pytest.raises(TypeError, match="takes a locator"):
        await done(one.drag_to("#two"))
    await done(page.evaluate("told.length = 0"))
    await done(one.send_click_event(detail=2))
    assert [event[:2] for event in await told(rig)] == [["click", "one"]]
    await done(one.highlight(duration_ms=10))
    await done(page.locator("html").scroll_to("50%"))
    middle = await done(page.evaluate("scrollY"))
    assert middle > 500
    await done(page.locator("html").scroll_to(0))
    await done(page.locator("html").scroll_by(0, 100))
    assert await done(page.evaluate("scrollY")) == 100
    await done(one.scroll_into_view())
    assert await done(page.evaluate("scrollY")) == 0
    with pytest.raises(AutomatorInvalidArgumentError, match="percentage"):
        await done(one.scroll_to("half"))
    await done(one.wait_for(state="attached"))


async def test_points_of_a_page_get_the_input_of_a_person(rig: Rig) -> None:
    page = await rig.open(LISTENING)
    assert await done(page.click(40, 20)) == ""
    assert (await done(page.click(40, 20, return_xpath=True))).endswith("/button[1]")
    assert (await done(page.hover(240, 120, {"return_xpath": True}))).endswith("/button[2]")
    assert (await done(page.tap(40, 20, return_xpath=True))).endswith("/button[1]")
    start, end = await done(page.drag_and_drop(40, 20, 240, 120, steps=4, return_xpath=True))
    assert (start[-9:], end[-9:]) == ("button[1]", "button[2]")
    await done(page.scroll(10, 300, 0, 200))
    assert await done(page.evaluate("scrollY")) == 200
    events = [event[:2] for event in await told(rig)]
    for expected in (["click", "one"], ["mouseover", "two"], ["mouseup", "two"]):
        assert expected in events
    await done(page.click(420, 5, click_count=1))


async def test_keys_go_where_the_focus_is(rig: Rig) -> None:
    page = await rig.open(START)
    text = "The quick brown fox jumps over the lazy dog, twice and once more"
    await done(page.locator("#text").focus())
    await done(
        page.evaluate("window.keys = []; document.querySelector('#text').onkeydown = (e) => { keys.push(e.key) }; 1")
    )
    await done(page.type(text, with_mistakes=True))
    assert await done(page.locator("#text").input_value()) == text
    assert "Backspace" in await done(page.evaluate("keys"))
    await done(page.key_press("Control+A", delay=1))
    await done(page.type("plain"))
    assert await done(page.locator("#text").input_value()) == "plain"


async def test_pictures_are_bytes(rig: Rig, tmp_path: Path) -> None:
    page = await rig.open(START)
    picture = await done(page.screenshot())
    assert isinstance(picture, bytes)
    assert picture[1:4] == b"PNG"
    path = tmp_path / "part.jpg"
    part = await done(
        page.screenshot(type="jpeg", quality=50, clip=Clip(0, 0, 40, 30), mask=["h1", page.locator("#text")], path=path)
    )
    assert part[:2] == b"\xff\xd8"
    assert path.read_bytes() == part
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(page.screenshot(quality=50))
    await done(page.set_viewport_size(640, 480, device_scale_factor=1))
    assert await done(page.evaluate("[innerWidth, innerHeight]")) == [640, 480]
    await done(page.set_viewport_size(900, 600))


async def test_a_snapshot_has_the_paths_and_addresses_of_its_ids(rig: Rig) -> None:
    page = await rig.open(START + "<iframe srcdoc='<p>in'></iframe>")
    await done(page.wait_for_selector("iframe >> p"))
    snapshot = await done(page.snapshot())
    [element] = re.findall(r"\[(\d+-\d+)\] link: next", snapshot.formatted_tree)
    assert snapshot.url_map[element] == f"{rig.site.url}/next"
    assert await done(page.locator(f"xpath={snapshot.xpath_map[element]}").text_content()) == "next"
    assert re.search(r"^ +in$", snapshot.formatted_tree, re.M)
    without = await done(page.snapshot(include_iframes=False, ignore_selectors=["h1"]))
    assert not re.search(r"^ +in$", without.formatted_tree, re.M)
    assert "heading" not in without.formatted_tree


async def test_listeners_hear_what_follows(rig: Rig) -> None:
    page = await rig.open(START)
    rig.site.put("/next", "<title>Next</title>")
    lines: list[Any] = []
    popups: list[Any] = []
    closed: list[Any] = []
    page.on("console", lines.append)
    page.once("popup", popups.append)
    await done(page.evaluate("console.warn('careful', 1)"))
    line = await until(lambda: lines and lines[0])
    assert (line.type(), line.text(), line.page()) == ("warning", "careful 1", page)
    assert [argument.value for argument in line.args()] == ["careful", 1]
    assert line.location().line_number >= 0
    assert line.timestamp() > 0
    assert line.raw()["text"] == "careful 1"
    page.off("console", lines.append)
    await done(page.evaluate("console.log('unheard')"))
    await done(page.locator("#out").click())
    popup = await until(lambda: popups and popups[0])
    assert popup in rig.session.context.pages()
    assert popup.opener() is page
    assert page.opener() is None
    popup.on("close", closed.append)
    await done(popup.close())
    assert await until(lambda: closed) == [popup]
    assert len(lines) == 1
    with pytest.raises(AutomatorInvalidArgumentError, match="did you mean 'console'"):
        page.on("consoles", lines.append)
    with pytest.raises(TypeError, match="must be a function"):
        page.on("console", 5)


async def test_uncaught_errors_and_downloads_are_told(own_rig: Rig) -> None:
    page = await own_rig.open(START)
    errors: list[Any] = []
    downloads: list[Any] = []
    page.once("pageerror", errors.append)
    page.once("download", downloads.append)
    await done(page.evaluate("setTimeout(() => { throw new Error('lost') }); 1"))
    error = await until(lambda: errors and errors[0])
    assert "lost" in error.message
    assert error.location.line_number >= 0
    link = "Object.assign(document.createElement('a'), { href: 'data:text/plain,42 euro', download: 'bill.txt' })"
    await done(page.evaluate(f"{link}.click()"))
    download = await until(lambda: downloads and downloads[0])
    assert download.suggested_filename() == "bill.txt"
    assert download.url().startswith("data:")
    path = await done(download.finished())
    assert path.read_text() == "42 euro"
    assert download.state() == "completed"
    assert own_rig.session.context.downloads()[-1].path() == path


async def test_a_download_is_canceled(own_rig: Rig) -> None:
    page = await own_rig.open(START)
    downloads: list[Any] = []
    page.once("download", downloads.append)
    await done(page.evaluate("Object.assign(document.createElement('a'), { href: '/slow' }).click()"))
    download = await until(lambda: downloads and downloads[0])
    assert download.path() is None
    await done(download.cancel())
    with pytest.raises(automator.DownloadError):
        await done(download.finished())
    assert download.state() == "canceled"


async def test_a_file_chooser_gets_files(rig: Rig) -> None:
    page = await rig.open(START)
    choosers: list[Any] = []
    page.once("filechooser", choosers.append)
    await done(page.locator("#file").click())
    chooser = await until(lambda: choosers and choosers[0])
    assert chooser.is_multiple()
    assert chooser.page() is page
    await done(chooser.set_files(__file__))
    assert await done(page.evaluate("document.querySelector('#file').files[0].name")) == "test_pages.py"


async def test_cookies_go_by_filters_with_regular_expressions(rig: Rig) -> None:
    context, url = rig.session.context, rig.site.url
    await done(context.clear_cookies())
    await done(
        context.add_cookies([NewCookie("One", "1", url=url, http_only=True), {"name": "Two", "value": "2", "url": url}])
    )
    [one] = [cookie for cookie in await done(context.cookies(url)) if cookie.name == "One"]
    assert (one.value, one.domain, one.path, one.http_only, one.secure, one.expires) == (
        "1",
        "127.0.0.1",
        "/",
        True,
        False,
        -1,
    )
    await done(context.clear_cookies(name=re.compile("^one$", re.I)))
    assert [cookie.name for cookie in await done(context.cookies([url]))] == ["Two"]
    await done(context.clear_cookies(name=re.compile(r"O N E  # as above", re.X | re.I)))
    kept = await done(context.cookies())
    await done(context.clear_cookies())
    await done(context.add_cookies(kept))
    assert await done(context.cookies()) == kept
    with pytest.raises(TypeError, match=r"re\.ASCII"):
        await done(context.clear_cookies(name=re.compile("x", re.A)))
    await done(context.clear_cookies({"name": "Two"}))
    assert await done(context.cookies()) == []
    with pytest.raises(automator.CookieValidationError):
        await done(context.add_cookies([{"name": "a", "value": "b"}]))
    with pytest.raises(TypeError, match="a list of cookies"):
        await done(context.add_cookies({"name": "a", "value": "b"}))
    with pytest.raises(TypeError, match="regular expression"):
        await done(context.clear_cookies(name=5))


async def test_scripts_and_headers_come_before_those_of_the_page(rig: Rig, tmp_path: Path) -> None:
    page = await done(rig.session.context.new_page())
    file = tmp_path / "script.js"
    file.write_text("window.fromFile = 1")
    await done(page.add_init_script(function="(seed) => { window.seed = seed.number }", argument={"number": 7}))
    await done(page.add_init_script(path=file))
    await done(rig.session.context.add_init_script("window.everywhere = document.title === ''"))
    await done(page.goto(rig.site.put("/next", "<title>Next</title>")))
    assert await done(page.evaluate("[seed, fromFile, everywhere]")) == [7, 1, True]
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(page.add_init_script())
    await done(page.set_extra_http_headers({"x-lamp": "arc"}))
    answer = await done((await done(page.goto(f"{rig.site.url}/echo"))).json())
    assert answer["x-lamp"] == "arc"
    await done(page.set_extra_http_headers({}))
    await done(rig.session.context.set_extra_http_headers({"x-all": "1"}))
    answer = await done((await done(page.goto(f"{rig.site.url}/echo"))).json())
    assert (answer.get("x-lamp"), answer["x-all"]) == (None, "1")
    await done(rig.session.context.set_extra_http_headers({}))
    with pytest.raises(AutomatorInvalidArgumentError, match="x-lamp"):
        await done(page.set_extra_http_headers({"x-lamp": 5}))


async def test_the_policy_of_domains_holds(rig: Rig) -> None:
    context = rig.session.context
    for policy in (DomainPolicy(blocked_domains=["127.0.0.1"]), {"allowed_domains": ["lamps.test"]}):
        await done(context.set_domain_policy(policy))
        with pytest.raises(NavigationError):
            await done(rig.page.goto(rig.site.put("/", START)))
    await done(context.set_domain_policy(None))
    await rig.open(START)


async def test_the_clipboard_is_read_and_written(rig: Rig) -> None:
    await rig.open(START)
    await done(rig.session.context.clipboard.write_text("copied"))
    assert await done(rig.session.context.clipboard.read_text()) == "copied"


async def test_devtools_commands_go_through(rig: Rig) -> None:
    answer = await done(rig.page.send_cdp("Runtime.evaluate", {"expression": "1 + 1"}))
    assert answer["result"]["value"] == 2
    assert "Chrom" in (await done(rig.session.context.send_cdp("Browser.getVersion")))["product"]
    with pytest.raises(automator.ProtocolError):
        await done(rig.page.send_cdp("Nothing.ofThisName"))


async def test_dialogs_are_answered_by_listeners_and_listed(rig: Rig) -> None:
    page = await rig.open(START)
    ask = "[alert('a'), confirm('b'), prompt('c', 'offered')]"
    assert await done(page.evaluate(ask)) == [None, False, None]
    heard: list[Any] = []

    def accept(dialog: Any) -> Any:
        heard.append([dialog.type(), dialog.message(), dialog.default_value(), dialog.page() is page, dialog.url()])
        return dialog.accept("typed") if dialog.type() == "prompt" else dialog.accept()

    page.on("dialog", accept)
    # Blocking calls would hold up the loop, but the dialogs of theirs are answered in another thread.
    assert await done(page.evaluate(ask)) == [None, True, "typed"]
    page.off("dialog", accept)
    assert [line[:4] for line in heard] == [
        ["alert", "a", "", True],
        ["confirm", "b", "", True],
        ["prompt", "c", "offered", True],
    ]
    # The report follows the answer.
    await until(lambda: rig.session.context.dialogs()[-1].type == "prompt")
    last = rig.session.context.dialogs()[-1]
    assert (last.type, last.message, last.accepted, last.answer, last.page_id) == (
        "prompt",
        "c",
        True,
        "typed",
        page.target_id(),
    )


@pytest.mark.filterwarnings("ignore::automator.AutomatorWarning")
async def test_what_listeners_leave_open_is_dismissed(rig: Rig) -> None:
    page = await rig.open(START)

    def broken(dialog: Any) -> None:
        raise ValueError("no")

    for listener in (lambda dialog: None, broken, lambda dialog: dialog.dismiss()):
        page.on("dialog", listener)
        assert await done(page.evaluate("confirm('sure?')")) is False
        page.off("dialog", listener)


async def test_the_first_answer_of_a_dialog_counts(rig: Rig) -> None:
    page = await rig.open(START)
    errors: list[BaseException] = []

    def twice(dialog: Any) -> Any:
        async def answers() -> None:
            await done(dialog.accept())
            try:
                await done(dialog.dismiss())
            except automator.AutomatorError as error:
                errors.append(error)

        return answers()

    page.once("dialog", twice)
    assert await done(page.evaluate("confirm('sure?')")) is True
    await until(lambda: errors)
    assert isinstance(errors[0], automator.AutomatorClosedError)
