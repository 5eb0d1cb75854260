"""The Python client of the operations, against our server: blocking, streamed and asynchronous."""

import asyncio
import os

from stagehand import APIStatusError, AsyncStagehand, NotFoundError, Stagehand

SERVER, KEY, PAGE = (os.environ[name] for name in ("SERVER", "KEY", "PAGE"))
MODEL = {"model_name": "openai/gpt-4.1-mini", "api_key": "sk-test", "base_url": os.environ["MODEL"]}
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def blocking() -> None:
    client = Stagehand(base_url=SERVER, browserbase_api_key=KEY, model_api_key="sk-test")
    started = client.sessions.start(model_name="openai/gpt-4.1-mini")
    session = started.data.session_id
    assert started.success
    client.sessions.navigate(session, url=PAGE, options={"wait_until": "load"})
    found = client.sessions.observe(session, instruction="find the button", options={"model": MODEL})
    action = found.data.result[0]
    assert action.method == "click", action
    acted = client.sessions.act(session, input=action.to_dict(exclude_none=True), options={"model": MODEL})
    assert acted.data.result.success, acted
    acted = client.sessions.act(session, input="press go", options={"model": MODEL})
    assert acted.data.result.success and acted.data.result.actions[0].selector, acted
    text = client.sessions.extract(session, instruction="the product", options={"model": MODEL})
    assert text.data.result["extraction"] == "A lamp", text
    typed = client.sessions.extract(
        session, instruction="the product as an object", schema=SCHEMA, options={"model": MODEL}
    )
    assert typed.data.result["name"] == "A lamp", typed

    for operation in ("act", "observe", "extract"):
        arguments = {"input": "press go"} if operation == "act" else {"instruction": "the product"}
        call = getattr(client.sessions, operation)
        events = call(
            session, **arguments, options={"model": MODEL}, stream_response=True, x_stream_response="true"
        )
        told = list(events)
        statuses = [event.data.status for event in told if event.type == "system"]
        assert statuses[0] == "starting" and statuses[-1] == "finished", statuses
        assert any(event.type == "log" for event in told), operation
    task = {
        "agent_config": {"model": MODEL, "mode": "dom", "system_prompt": "Be brief."},
        "execute_options": {"instruction": "press go", "max_steps": 5, "tool_timeout": 20000, "variables": {"a": "b"}},
        "should_cache": True,
    }
    executed = client.sessions.execute(session, **task)
    result = executed.data.result
    assert result.success and result.completed and result.message == "Pressed it.", executed
    assert [action.type for action in result.actions] == ["act", "done"], executed
    assert result.usage.input_tokens > 0 and result.actions[0].page_url, executed
    told = list(client.sessions.execute(session, **task, stream_response=True, x_stream_response="true"))
    statuses = [event.data.status for event in told if event.type == "system"]
    assert statuses[0] == "starting" and statuses[-1] == "finished", statuses
    assert told[-1].data.result["success"], told[-1]

    replay = client.sessions.replay(session)
    methods = [action.method for page in replay.data.pages for action in page.actions]
    assert methods[:3] == ["navigate", "observe", "act"] and methods[-1] == "agent", methods
    assert client.sessions.end(session).success
    for unknown, kind, status in ((session, APIStatusError, 410), ("none", NotFoundError, 404)):
        try:
            client.sessions.end(unknown)
        except kind as error:
            assert error.status_code == status, error
        else:
            raise AssertionError(f"{unknown} can be ended")


async def asynchronous() -> None:
    async with AsyncStagehand(base_url=SERVER, browserbase_api_key=KEY, model_api_key="sk-test") as client:
        started = await client.sessions.start(model_name="openai/gpt-4.1-mini")
        session = started.data.session_id
        await client.sessions.navigate(session, url=PAGE)
        texts = await asyncio.gather(*(
            client.sessions.extract(session, instruction="the product", options={"model": MODEL}) for _ in range(5)
        ))
        assert all(text.data.result["extraction"] == "A lamp" for text in texts)
        stream = await client.sessions.act(
            session, input="press go", options={"model": MODEL}, stream_response=True, x_stream_response="true"
        )
        statuses = [event.data.status async for event in stream if event.type == "system"]
        assert statuses[-1] == "finished", statuses
        await client.sessions.end(session)


blocking()
asyncio.run(asynchronous())
