"""Types of every kind as schemas, and what becomes of an answer."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from typing import Annotated, Any, Literal

import annotated_types
import pydantic
import pytest
from rig import Rig, done, reply, text_of
from typing_extensions import TypedDict

from automator import AutomatorInvalidArgumentError, SchemaValidationError
from automator.schema import Schema


class Kind(enum.Enum):
    DESK = "desk"
    FLOOR = "floor"


class Part(pydantic.BaseModel):
    name: str = pydantic.Field(description="What it is called.")


class Lamp(pydantic.BaseModel):
    name: Annotated[str, annotated_types.MinLen(1)]
    price: float = pydantic.Field(alias="priceInEuro", ge=0)
    kind: Kind = Kind.DESK
    since: datetime.date | None = None
    parts: list[Part] = []

    @pydantic.field_validator("name")
    @classmethod
    def shouted(cls, name: str) -> str:
        if name == "forbidden":
            raise ValueError("not this one")
        return name.upper()


@dataclasses.dataclass
class Point:
    x: int
    y: int = 5


class Movie(TypedDict):
    title: str
    year: int


class Tree(pydantic.BaseModel):
    name: str
    children: list[Tree] = []


def of(schema: Any, answer: Any) -> Any:
    return Schema(schema).validated(json.dumps(answer))


def test_every_kind_of_type_gives_its_instances() -> None:
    lamp = of(Lamp, {"name": "arc", "priceInEuro": 49, "kind": "floor", "since": "2026-11-28"})
    assert lamp == Lamp(name="arc", priceInEuro=49, kind=Kind.FLOOR, since=datetime.date(2026, 11, 28))
    assert lamp.name == "ARC"
    assert of(list[Lamp], [{"name": "a", "priceInEuro": 1}])[0].price == 1
    assert of(Point, {"x": 3}) == Point(3, 5)
    assert of(Movie, {"title": "M", "year": 1931}) == {"title": "M", "year": 1931}
    assert of(str, "plain") == "plain"
    assert of(int, 5) == 5
    assert of(Literal["a", "b"], "a") == "a"
    assert of(dict[str, int], {"a": 1}) == {"a": 1}
    assert of(tuple[int, str], [1, "a"]) == (1, "a")
    assert of(Point | None, None) is None
    assert of(pydantic.TypeAdapter(list[Point]), [{"x": 1}]) == [Point(1)]
    assert of(Tree, {"name": "a", "children": [{"name": "b"}]}).children[0] == Tree(name="b")
    assert of({"type": "object"}, {"any": 1}) == {"any": 1}


def test_what_the_model_is_told_has_descriptions_bounds_and_formats() -> None:
    schema = Schema(Lamp).json_schema
    assert schema["properties"]["priceInEuro"]["minimum"] == 0
    assert schema["properties"]["name"]["minLength"] == 1
    assert schema["$defs"]["Part"]["properties"]["name"]["description"] == "What it is called."
    assert Schema(pydantic.HttpUrl).json_schema["format"] == "uri"


def test_an_answer_that_validators_refuse_names_the_place() -> None:
    with pytest.raises(SchemaValidationError) as raised:
        of(list[Lamp], [{"name": "arc", "priceInEuro": 1}, {"name": "forbidden", "priceInEuro": 1}])
    error = raised.value
    assert error.context == {"pointer": "/1/name"}
    assert "not this one" in str(error)
    assert error.operation == "extract"
    assert isinstance(error.__cause__, pydantic.ValidationError)


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    name: str

    @pydantic.field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        if name == "forbidden":
            raise ValueError("not this one")
        return name


class Owner(pydantic.BaseModel):
    pet: Cat | Dog = pydantic.Field(discriminator="kind")
    others: list[int | Dog] = []


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        ({"pet": {"kind": "dog", "name": "forbidden"}}, "/pet/name"),
        ({"pet": {"kind": "dog"}}, "/pet/name"),
        ({"pet": {"kind": "cat"}, "others": [1, {"kind": "dog", "name": "forbidden"}]}, "/others/1"),
    ],
)
def test_the_place_is_one_in_the_answer_also_below_unions(answer: Any, pointer: str) -> None:
    with pytest.raises(SchemaValidationError) as raised:
        of(Owner, answer)
    assert raised.value.context["pointer"] == pointer


def test_what_is_no_schema_is_refused() -> None:
    for wrong in (
        "text",
        5,
        pydantic.BaseModel,
        Point(1, 2),
        [str],
        object,
        Any,
        {},
        {"title": "says nothing"},
        {"selector": "main"},
        lambda: 1,
    ):
        with pytest.raises(AutomatorInvalidArgumentError):
            Schema(wrong)


@pytest.mark.parametrize(
    ("schema", "answer", "expected"),
    [
        (Lamp, {"name": "arc", "priceInEuro": "49.5"}, Lamp(name="arc", priceInEuro=49.5)),
        (Point, {"x": 1, "y": 2}, Point(1, 2)),
        (Movie, {"title": "M", "year": "1931"}, {"title": "M", "year": 1931}),
        (list[Lamp], {"value": [{"name": "arc", "priceInEuro": 1}]}, [Lamp(name="arc", priceInEuro=1)]),
        (Tree, {"name": "a", "children": [{"name": "b"}]}, Tree(name="a", children=[Tree(name="b")])),
        (str, {"value": "words"}, "words"),
    ],
    ids=["model", "dataclass", "typed dict", "list of models", "recursive model", "text"],
)
async def test_a_session_extracts_it(rig: Rig, schema: Any, answer: Any, expected: Any) -> None:
    await rig.open("<h1>Lamps</h1>")
    rig.answer = lambda _: reply(answer)
    assert await done(rig.session.extract("the thing", schema)) == expected


async def test_an_answer_that_does_not_fit_is_asked_for_again_and_then_an_error(rig: Rig) -> None:
    await rig.open("<h1>Lamps</h1>")
    rig.answer = lambda _: reply({"x": "no number"})
    with pytest.raises(SchemaValidationError) as raised:
        await done(rig.session.extract("the point", Point))
    assert raised.value.context["pointer"] == "/x"
    assert len(rig.requests) == 2
    assert "the point" in text_of(rig.requests[0])


async def test_what_only_pydantic_can_refuse_is_the_same_error(rig: Rig) -> None:
    await rig.open("<h1>Lamps</h1>")
    rig.answer = lambda _: reply({"name": "forbidden", "priceInEuro": 1})
    with pytest.raises(SchemaValidationError, match="not this one"):
        await done(rig.page.extract("the lamp", schema=Lamp))
