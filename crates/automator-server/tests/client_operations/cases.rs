//! What is done alike here, on the server and over the socket.

use std::time::Duration;

use automator::{Action, Automator, Page};
use automator_testing::{Answer, Fault, Request};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

pub(crate) fn click(request: &Request, line: &str) -> Answer {
    let action =
        json!({ "elementId": request.id_of(line), "description": line, "method": "click", "arguments": [] });
    Answer::value(json!({ "action": action, "twoStep": false }))
}

pub(crate) const PAGE: &str = "<title>Shop</title><h1>Arc lamp</h1><p id=price>€ 49.00</p><input aria-label=Name>\
    <button onclick=\"document.title = 'Pressed'\">Order</button><button disabled>Sold out</button>";

/// What is done in a case, told as JSON: the result, or the error.
pub(crate) type Work = for<'a> fn(&'a Automator, &'a Page) -> BoxFuture<'a, Value>;

/// How the model answers in a case.
pub(crate) type Script = fn(&Request) -> Answer;

fn told<T: serde::Serialize>(outcome: automator::Result<T>) -> Value {
    match outcome {
        Ok(value) => {
            let mut value = json!(value);
            if let Value::Object(members) = &mut value {
                // There is none without a server.
                members.remove("cacheStatus");
            }
            value
        }
        Err(error) => json!({
            "kind": error.kind().name(),
            "text": error.to_string(),
            "hint": error.hint_text(),
            "operation": error.operation(),
            "context": error.context().collect::<std::collections::BTreeMap<_, _>>(),
        }),
    }
}

pub(crate) const CASES: &[(&str, Script, Work)] = &[
    (
        "act",
        |request| click(request, "button: Order"),
        |automator, page| {
            Box::pin(async move {
                let acted = told(automator.act("press order").await);
                json!([acted, page.title().await.expect("a title")])
            })
        },
    ),
    (
        "an action",
        |_| unasked(),
        |automator, page| {
            Box::pin(async move {
                let action = Action::new("input", "fill").argument("%name%");
                let acted = told(automator.act(&action).variable("name", "Ada Lovelace").await);
                let value = page.evaluate("document.querySelector('input').value").await;
                json!([acted, value.expect("a value"), told(automator.page_text().await)])
            })
        },
    ),
    (
        "nothing fits",
        |_| Answer::value(json!({ "action": null, "twoStep": false })),
        |automator, _| Box::pin(async move { told(automator.act("fly").await) }),
    ),
    (
        "an action on nothing",
        |_| unasked(),
        |automator, _| {
            Box::pin(async move {
                told(
                    automator
                        .act(Action::new("#gone", "click"))
                        .timeout(Duration::from_secs(4))
                        .await,
                )
            })
        },
    ),
    (
        "an empty instruction",
        |_| unasked(),
        |automator, _| {
            Box::pin(
                async move { json!([told(automator.act(" ").await), told(automator.extract("").await)]) },
            )
        },
    ),
    (
        "a variable without a value",
        |_| unasked(),
        |automator, _| {
            Box::pin(async move { told(automator.act("type %code%").variable("other", "x").await) })
        },
    ),
    (
        "observe",
        |request| {
            let element = json!({ "elementId": request.id_of("button: Order"), "description": "order", "method": "click", "arguments": [] });
            Answer::value(json!({ "elements": [element] }))
        },
        |automator, _| Box::pin(async move { told(automator.observe("the buttons").await) }),
    ),
    (
        "extract",
        |_| Answer::value(json!({ "extraction": "Arc lamp" })),
        |automator, _| Box::pin(async move { told(automator.extract("the name").await) }),
    ),
    (
        "extract with a schema",
        |_| Answer::value(json!({ "name": "Arc lamp", "price": 49 })),
        |automator, _| {
            let schema = json!({
                "type": "object",
                "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
                "required": ["name", "price"],
            });
            Box::pin(async move {
                told(
                    automator
                        .extract("the product")
                        .json_schema(schema)
                        .selector("body")
                        .await,
                )
            })
        },
    ),
    (
        "extract a list",
        |_| Answer::value(json!({ "items": ["Order", "Sold out"] })),
        |automator, _| {
            let schema = json!({ "type": "array", "items": { "type": "string" } });
            Box::pin(async move { told(automator.extract("the buttons").json_schema(schema).await) })
        },
    ),
    (
        "an answer that does not fit",
        |_| Answer::value(json!({ "price": "much" })),
        |automator, _| {
            let schema = json!({ "type": "object", "properties": { "price": { "type": "number" } }, "required": ["price"] });
            Box::pin(async move { told(automator.extract("the price").json_schema(schema).await) })
        },
    ),
    (
        "a selector that matches nothing",
        |_| unasked(),
        |automator, _| {
            Box::pin(async move {
                json!([
                    told(automator.extract("x").selector("//nav").await),
                    told(automator.observe("x").selector("#nav").await),
                ])
            })
        },
    ),
    (
        "a schema that is none",
        |_| unasked(),
        |automator, _| {
            Box::pin(async move {
                told(
                    automator
                        .extract("x")
                        .json_schema(json!({ "type": "wrong" }))
                        .await,
                )
            })
        },
    ),
    (
        "page text",
        |_| unasked(),
        |automator, _| Box::pin(async move { told(automator.page_text().selector("h1").await) }),
    ),
    (
        "where a value stands",
        |_| Answer::value(json!({ "name": "Arc lamp" })),
        |automator, _| {
            let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
            Box::pin(async move {
                told(
                    automator
                        .extract("the name")
                        .json_schema(schema)
                        .with_provenance()
                        .await,
                )
            })
        },
    ),
    (
        "a model that refuses the key",
        |_| Answer::text("x").with(Fault::ServerError(401)),
        |automator, _| Box::pin(async move { told(automator.extract("the maker").await) }),
    ),
    (
        "a limit of time",
        |_| Answer::text("x").with(Fault::Hang),
        |automator, _| {
            Box::pin(async move {
                let limit = Duration::from_millis(1500);
                told(automator.extract("the weight").timeout(limit).await)
            })
        },
    ),
];

fn unasked() -> Answer {
    Answer::text("no model is asked here")
}
