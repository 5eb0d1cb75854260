//! Pages beyond the model's window.

use automator_testing::Answer;
use serde_json::{Value, json};

use crate::rig::{Rig, model_options};

fn rows(count: usize) -> String {
    let rows: String = (1..=count)
        .map(|row| {
            format!(
                "<tr><td>{row}</td><td>Customer {row}</td><td>Item {}</td></tr>",
                row * 7
            )
        })
        .collect();
    format!(
        "<h1>Orders</h1><table><thead><tr><th>No</th><th>Customer</th><th>Item</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

/// Answers with every order in the part of the page that came with the request.
fn orders(text: &str) -> Vec<Value> {
    let cells = text.lines().filter_map(|line| line.trim().strip_prefix("row: "));
    cells
        .filter_map(|row| {
            let mut cells = row.split(" | ");
            let number = cells.next()?.parse::<u64>().ok()?;
            Some(json!({ "number": number, "customer": cells.next()? }))
        })
        .collect()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "heading": { "type": "string" },
            "orders": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "number": { "type": "integer" }, "customer": { "type": "string" } },
                    "required": ["number", "customer"],
                },
            },
        },
        "required": ["heading", "orders"],
        "additionalProperties": false,
    })
}

#[tokio::test]
async fn a_page_beyond_the_window_is_read_in_parts_and_put_together_in_order() {
    let rig = Rig::start().await;
    rig.show(rows(1_500)).await;
    let mut model = model_options(&rig.model);
    model.context_window = Some(8_000);
    rig.model.script(|request| {
        let heading = request.text.contains("heading: Orders").then_some("Orders");
        Answer::value(json!({ "heading": heading, "orders": orders(&request.text) }))
    });
    let value: Value = rig
        .automator
        .extract("all orders")
        .json_schema(schema())
        .model(model)
        .await
        .unwrap();
    let requests = rig.model.requests();
    assert!(requests.len() > 2, "{} requests", requests.len());
    for request in &requests {
        assert!(request.text.contains("table"), "a part tells where it stands");
    }
    let numbers: Vec<u64> = value["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| order["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=1_500).collect::<Vec<u64>>());
    assert_eq!(value["heading"], "Orders");
    rig.close().await;
}

#[tokio::test]
async fn what_parts_disagree_on_is_settled_by_one_more_call() {
    let rig = Rig::start().await;
    rig.show(rows(900)).await;
    let mut model = model_options(&rig.model);
    model.context_window = Some(8_000);
    rig.model.script(|request| {
        if request.text.contains("number of the candidate") {
            return Answer::value(json!({ "c1": 2 }));
        }
        let first = orders(&request.text)
            .first()
            .map(|order| order["customer"].clone());
        Answer::value(json!({ "heading": first, "orders": [] }))
    });
    let value: Value = rig
        .automator
        .extract("the right customer")
        .json_schema(schema())
        .model(model)
        .await
        .unwrap();
    let requests = rig.model.requests();
    let settling = requests.last().unwrap();
    assert_eq!(
        requests
            .iter()
            .filter(|request| request.text.contains("number of the candidate"))
            .count(),
        1
    );
    assert!(
        settling.text.contains("c1 (/heading): 1. \"Customer 1\"  2. "),
        "{}",
        settling.text
    );
    let second = settling
        .text
        .split("2. \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(value["heading"], second);
    rig.close().await;
}
