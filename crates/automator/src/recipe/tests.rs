//! Learnt on one page, followed on others: with other data of the same structure, and with another structure.

mod markup;
mod random;

use automator_llm::ResponseSchema;
use serde_json::{Value, json};

use self::markup::page;
use super::{Misfit, Recipe, Why, learn};

/// A page that a model has read.
struct Learnt {
    recipe: Recipe,
    schema: Value,
}

fn try_to_learn(body: &str, schema: &Value, value: &Value) -> Option<Learnt> {
    let recipe = learn(
        &page("Shop", body),
        schema,
        "all that is asked for",
        "http://shop.test/page",
        value,
    )?;
    // What is kept in a file is what is followed.
    let text = serde_json::to_string_pretty(&recipe).unwrap();
    let recipe: Recipe = serde_json::from_str(&text).unwrap();
    let learnt = Learnt {
        recipe,
        schema: schema.clone(),
    };
    assert_eq!(learnt.replay(body), Ok(value.clone()), "{text}");
    Some(learnt)
}

#[track_caller]
fn learnt(body: &str, schema: &Value, value: &Value) -> Learnt {
    try_to_learn(body, schema, value).expect("nothing was learnt")
}

impl Learnt {
    fn replay(&self, body: &str) -> Result<Value, Misfit> {
        self.recipe
            .replay(&page("Shop", body), &ResponseSchema::new(&self.schema).unwrap())
    }

    #[track_caller]
    fn misfits(&self, body: &str) {
        let replayed = self.replay(body);
        assert!(replayed.is_err(), "{replayed:?}");
    }
}

fn object(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

fn list_of(item: &Value) -> Value {
    json!({ "type": "array", "items": item })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn link() -> Value {
    json!({ "type": "string", "format": "uri" })
}

fn shop(items: &str) -> String {
    format!(
        "<nav><a href=\"/\">Start</a></nav><main><h1>Lamps</h1><ul class=\"products\">{items}</ul></main>"
    )
}

fn product(name: &str, price: &str) -> String {
    let slug = name.to_lowercase().replace(' ', "-");
    format!(
        "<li class=\"product\"><a href=\"/{slug}\">{name}</a><span class=\"price\">{price}</span>\
         <button>Add</button></li>"
    )
}

fn products_schema() -> Value {
    list_of(&object(
        &json!({ "name": text(), "price": number(), "link": link() }),
    ))
}

fn products_value(items: &[(&str, f64)]) -> Value {
    let one = |(name, price): &(&str, f64)| {
        let slug = name.to_lowercase().replace(' ', "-");
        let price = super::number::to_value(*price);
        json!({ "name": name, "price": price, "link": format!("http://shop.test/{slug}") })
    };
    items.iter().map(one).collect()
}

fn two_lamps() -> Learnt {
    let body = shop(&(product("Arc lamp", "€ 1,299.00") + &product("Disc", "€ 49.00")));
    learnt(
        &body,
        &products_schema(),
        &products_value(&[("Arc lamp", 1299.0), ("Disc", 49.0)]),
    )
}

#[test]
fn a_list_of_another_length_gives_its_own_items() {
    let recipe = two_lamps();
    let other =
        shop(&(product("Orb", "€ 9.50") + &product("Cone", "€ 2,000.00") + &product("Disc", "€ 1,500")));
    let value = products_value(&[("Orb", 9.5), ("Cone", 2000.0), ("Disc", 1500.0)]);
    assert_eq!(recipe.replay(&other), Ok(value));
    assert_eq!(recipe.replay(&shop("")), Ok(json!([])));
}

#[test]
fn a_list_that_is_gone_or_has_other_kinds_of_items_is_no_longer_the_same() {
    let recipe = two_lamps();
    recipe.misfits("<main><h1>Lamps</h1><p>Nothing found</p></main>");
    recipe.misfits(&shop("<li class=\"message\">Nothing found</li>"));
    recipe.misfits(&shop(
        &(product("Orb", "€ 1.00") + "<li class=\"bundle\"><a href=\"/b\">Two</a></li>"),
    ));
    recipe.misfits(&shop(&product("Orb", "€ 1.00")).replace("product\"", "tile\""));
    recipe.misfits(&shop(&product("Orb", "€ 1.00")).replace("price", "amount"));
}

#[test]
fn prices_that_are_missing_doubled_or_said_otherwise_are_not_guessed() {
    let recipe = two_lamps();
    let sold_out = "<li class=\"product\"><a href=\"/orb\">Orb</a><button>Notify me</button></li>";
    recipe.misfits(&shop(&(product("Arc", "€ 1.00") + sold_out)));
    for price in [
        "from € 1.00",
        "$ 1.00",
        "€ 1.00 – € 2.00",
        "1.00",
        "€ 1.299",
        "€ 1.299,00",
        "Sold out since 2019",
    ] {
        recipe.misfits(&shop(&product("Orb", price)));
    }
    let old_and_new =
        product("Orb", "€ 1.00").replace("<button>", "<span class=\"price\">€ 2.00</span><button>");
    recipe.misfits(&shop(&old_and_new));
    let with_old = product("Orb", "€ 1.00").replace("<button>", "<span class=\"old\">€ 2.00</span><button>");
    assert_eq!(
        recipe.replay(&shop(&with_old)),
        Ok(products_value(&[("Orb", 1.0)]))
    );
}

#[test]
fn without_classes_a_second_price_is_no_longer_the_same() {
    let item = |name: &str, prices: &[&str]| {
        let prices: String = prices
            .iter()
            .map(|price| format!("<span>{price}</span>"))
            .collect();
        format!("<li><b>{name}</b>{prices}</li>")
    };
    let body = format!("<ul>{}{}</ul>", item("Arc", &["5.00"]), item("Orb", &["6.00"]));
    let schema = list_of(&object(&json!({ "name": text(), "price": number() })));
    let value = json!([{ "name": "Arc", "price": 5 }, { "name": "Orb", "price": 6 }]);
    let recipe = learnt(&body, &schema, &value);
    recipe.misfits(&format!("<ul>{}</ul>", item("Cone", &["9.00", "7.00"])));
}

#[test]
fn advertisements_between_items_are_passed_over_once_they_were_seen() {
    let ad = "<li class=\"ad\"><a href=\"/ad\">Buy now</a></li>";
    let body = shop(&(product("Arc lamp", "€ 2.00") + ad + &product("Disc", "€ 3.00")));
    let recipe = learnt(
        &body,
        &products_schema(),
        &products_value(&[("Arc lamp", 2.0), ("Disc", 3.0)]),
    );
    let other = shop(&(ad.replace("now", "more") + &product("Orb", "€ 1.00") + ad));
    assert_eq!(recipe.replay(&other), Ok(products_value(&[("Orb", 1.0)])));
    two_lamps().misfits(&other);
}

#[test]
fn a_choice_of_items_is_not_learnt() {
    let body =
        shop(&(product("Arc lamp", "€ 2.00") + &product("Disc", "€ 3.00") + &product("Orb", "€ 1.00")));
    let value = products_value(&[("Arc lamp", 2.0), ("Disc", 3.0)]);
    assert!(try_to_learn(&body, &products_schema(), &value).is_none());
    let schema = object(&json!({ "name": text() }));
    assert!(try_to_learn(&body, &schema, &json!({ "name": "Disc" })).is_none());
    let turned = products_value(&[("Disc", 3.0), ("Arc lamp", 2.0), ("Orb", 1.0)]);
    assert!(try_to_learn(&body, &products_schema(), &turned).is_none());
}

#[test]
fn one_of_many_is_learnt_only_when_it_was_asked_for_by_its_name() {
    let card = |name: &str, price: &str| format!("<div class=\"card\"><h3>{name}</h3><p>{price}</p></div>");
    let body = format!("<main>{}{}</main>", card("Arc", "€ 5.00"), card("Disc", "€ 3.00"));
    let schema = object(&json!({ "price": number() }));
    let ask = |instruction: &str| {
        learn(
            &page("Shop", &body),
            &schema,
            instruction,
            "http://shop.test/page",
            &json!({ "price": 3 }),
        )
    };
    assert!(ask("die günstigste Lampe").is_none());
    let recipe = ask("the price of the disc").unwrap();
    let other = format!("<main>{}{}</main>", card("Disc", "€ 2.00"), card("Arc", "€ 1.00"));
    let schema = ResponseSchema::new(&schema).unwrap();
    assert_eq!(
        recipe.replay(&page("Shop", &other), &schema),
        Ok(json!({ "price": 2 }))
    );
}

#[test]
fn judgements_sums_and_translations_are_not_learnt() {
    let body = "<main><h1>Arc</h1><p class=\"price\">€ 5.00</p><p class=\"stock\">In stock</p></main>";
    for (schema, value) in [
        (json!({ "type": "boolean" }), json!(true)),
        (text(), json!("A lamp that is available")),
        (number(), json!(10)),
        (text(), json!("EUR")),
        (text(), json!("available")),
        (number(), json!(500)),
    ] {
        let schema = object(&json!({ "name": text(), "other": schema }));
        let value = json!({ "name": "Arc", "other": value });
        assert!(try_to_learn(body, &schema, &value).is_none(), "{value}");
    }
}

#[test]
fn members_that_no_item_has_or_that_are_null_come_back_so() {
    let item = |name: &str, badge: &str| {
        let badge = if badge.is_empty() {
            String::new()
        } else {
            format!("<em class=\"badge\">{badge}</em>")
        };
        format!("<li class=\"product\"><b>{name}</b>{badge}</li>")
    };
    let mut schema = list_of(&json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string" }, "badge": { "type": ["string", "null"] }, "note": { "type": "string" } } }));
    let body = shop(&(item("Arc", "New") + &item("Orb", "")));
    let value = json!([{ "name": "Arc", "badge": "New" }, { "name": "Orb", "badge": null }]);
    let recipe = learnt(&body, &schema, &value);
    let other = shop(&(item("Cone", "") + &item("Disc", "Sale")));
    let expected = json!([{ "name": "Cone", "badge": null }, { "name": "Disc", "badge": "Sale" }]);
    assert_eq!(recipe.replay(&other), Ok(expected));
    // The badge under a new name, or a note for the first time.
    recipe.misfits(&other.replace("class=\"badge\"", "class=\"label\""));
    recipe.misfits(&other.replace("</b>", "</b><i class=\"note\">Handmade</i>"));
    // For the page itself nothing tells where a note would stand.
    schema = json!({ "type": "object", "properties": { "name": { "type": "string" }, "note": { "type": "string" } } });
    assert!(try_to_learn("<h1>Arc</h1>", &schema, &json!({ "name": "Arc" })).is_none());
}

#[test]
fn words_that_stand_for_no_value_are_known() {
    let item =
        |name: &str, rating: &str| format!("<li><b>{name}</b><span class=\"rating\">{rating}</span></li>");
    let schema = list_of(&object(
        &json!({ "name": text(), "rating": { "type": ["number", "null"] } }),
    ));
    let body =
        shop(&(item("Arc", "4.5 out of 5") + &item("Orb", "No ratings yet") + &item("Disc", "3.9 out of 5")));
    let value = json!([{ "name": "Arc", "rating": 4.5 }, { "name": "Orb", "rating": null }, { "name": "Disc", "rating": 3.9 }]);
    let recipe = learnt(&body, &schema, &value);
    let other = shop(&(item("Cone", "No ratings yet") + &item("Cube", "2 out of 5")));
    assert_eq!(
        recipe.replay(&other),
        Ok(json!([{ "name": "Cone", "rating": null }, { "name": "Cube", "rating": 2 }]))
    );
    recipe.misfits(&shop(&item("Cone", "Be the first")));
}

#[test]
fn columns_are_found_by_their_header() {
    let table = |header: &str, rows: &str| {
        format!(
            "<main><table><caption>Stock</caption><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table></main>"
        )
    };
    let header = "<th>Name</th><th>Left</th><th>Price</th>";
    let rows =
        "<tr><td>Arc</td><td>3</td><td>1.299,00 €</td></tr><tr><td>Orb</td><td>12</td><td>49,00 €</td></tr>";
    let schema = list_of(&object(
        &json!({ "name": text(), "left": number(), "price": number() }),
    ));
    let value =
        json!([{ "name": "Arc", "left": 3, "price": 1299 }, { "name": "Orb", "left": 12, "price": 49 }]);
    let recipe = learnt(&table(header, rows), &schema, &value);
    let moved = table(
        "<th>Price</th><th>Colour</th><th>Name</th><th>Left</th>",
        "<tr><td>2,50 €</td><td>red</td><td>Cone</td><td>1.000</td></tr>",
    );
    assert_eq!(
        recipe.replay(&moved),
        Ok(json!([{ "name": "Cone", "left": 1000, "price": 2.5 }]))
    );
    recipe.misfits(&table("<th>Name</th><th>Left</th><th>Amount</th>", rows));
    recipe.misfits(&table("<th>Name</th><th>Price</th><th>Price</th>", rows));
    let wide = "<tr><td>Cone</td><td colspan=\"2\">7</td></tr>";
    recipe.misfits(&table(header, wide));
    recipe.misfits(&table(header, "<tr><td colspan=\"3\">Desk lamps</td></tr>"));
    assert_eq!(recipe.replay(&table(header, "")), Ok(json!([])));
}

#[test]
fn header_rows_without_a_head_are_no_items() {
    let table = |rows: &str| format!("<table><tr><th>Name</th><th>Left</th></tr>{rows}</table>");
    let schema = list_of(&object(&json!({ "name": text(), "left": number() })));
    let body = table("<tr><td>Arc</td><td>3</td></tr><tr><td>Orb</td><td>4</td></tr>");
    let recipe = learnt(
        &body,
        &schema,
        &json!([{ "name": "Arc", "left": 3 }, { "name": "Orb", "left": 4 }]),
    );
    assert_eq!(
        recipe.replay(&table("<tr><td>Cone</td><td>8</td></tr>")),
        Ok(json!([{ "name": "Cone", "left": 8 }]))
    );
}

#[test]
fn details_follow_their_labels_and_not_their_position() {
    let schema = object(&json!({ "weight": text(), "height": text(), "maker": text(), "colour": text() }));
    let details = |weight: &str, height: &str| {
        format!(
            "<main><dl><dt>Weight</dt><dd>{weight}</dd><dt>Height</dt><dd>{height}</dd></dl>\
             <p>Made by: Ann</p><p>Sold by: Bob</p><p>Kept by: Cat</p>\
             <table><tr><td>Size</td><td>L</td></tr><tr><td>Colour</td><td>red</td></tr></table></main>"
        )
    };
    let value = json!({ "weight": "3 kg", "height": "40 cm", "maker": "Ann", "colour": "red" });
    let recipe = learnt(&details("3 kg", "40 cm"), &schema, &value);
    let other = details("5 kg", "9 cm")
        .replace("Ann", "Eve")
        .replace("red", "blue");
    let expected = json!({ "weight": "5 kg", "height": "9 cm", "maker": "Eve", "colour": "blue" });
    assert_eq!(recipe.replay(&other), Ok(expected.clone()));
    let moved = other.replace("<dl>", "<dl><dt>Depth</dt><dd>1 cm</dd>");
    assert_eq!(recipe.replay(&moved), Ok(expected.clone()));
    let moved = other.replace("<tr><td>Size</td><td>L</td></tr>", "");
    assert_eq!(recipe.replay(&moved), Ok(expected));
    recipe.misfits(&other.replace("<dt>Weight", "<dt>Net weight"));
    recipe.misfits(&other.replace("Made by", "Drawn by"));
    recipe.misfits(&other.replace("Colour", "Shade"));
}

#[test]
fn a_price_that_stands_elsewhere_too_must_go_on_saying_the_same() {
    let detail = |price: &str, other: &str| {
        format!(
            "<main><h1>Arc</h1><p class=\"price\">{price}</p></main>\
             <aside><h2>Others</h2><p class=\"offer\">{other}</p></aside>"
        )
    };
    let schema = object(&json!({ "name": text(), "price": text() }));
    let recipe = learnt(
        &detail("€ 5.00", "€ 5.00"),
        &schema,
        &json!({ "name": "Arc", "price": "€ 5.00" }),
    );
    let differs = recipe.replay(&detail("€ 6.00", "€ 7.00")).unwrap_err();
    assert_eq!((differs.pointer.as_str(), differs.why), ("/price", Why::Differs));
    let recipe = learnt(
        &detail("€ 6.00", "€ 7.00"),
        &schema,
        &json!({ "name": "Arc", "price": "€ 6.00" }),
    );
    let value = json!({ "name": "Arc", "price": "€ 8.00" });
    assert_eq!(recipe.replay(&detail("€ 8.00", "€ 9.00")), Ok(value));
}

#[test]
fn parts_of_a_text_are_cut_by_the_words_around_them() {
    let schema = object(&json!({ "page": number(), "pages": number(), "author": text() }));
    let body = |page: u32, pages: u32, title: &str, author: &str| {
        format!(
            "<main><h1>{title}</h1><p class=\"by\">{title} by {author}</p><p class=\"pager\">{page} of {pages}</p></main>"
        )
    };
    let recipe = learnt(
        &body(1, 5, "Arc", "Ann"),
        &schema,
        &json!({ "page": 1, "pages": 5, "author": "Ann" }),
    );
    // The title is not asked for, so that nothing tells that it changes: the model is asked, no wrong value given.
    recipe.misfits(&body(2, 7, "Orb", "Bob"));
    let schema = object(&json!({ "page": number(), "pages": number(), "author": text(), "title": text() }));
    let value = json!({ "page": 1, "pages": 5, "author": "Ann", "title": "Arc" });
    let recipe = learnt(&body(1, 5, "Arc", "Ann"), &schema, &value);
    let value = json!({ "page": 2, "pages": 7, "author": "Bob", "title": "Orb" });
    assert_eq!(recipe.replay(&body(2, 7, "Orb", "Bob")), Ok(value));
}

#[test]
fn lists_in_lists_are_learnt_with_empty_ones() {
    let section = |name: &str, items: &[&str]| {
        let items: String = items.iter().map(|item| format!("<li>{item}</li>")).collect();
        let list = if items.is_empty() {
            String::new()
        } else {
            format!("<ul>{items}</ul>")
        };
        format!("<section class=\"group\"><h2>{name}</h2>{list}</section>")
    };
    let schema = list_of(&object(&json!({ "name": text(), "items": list_of(&text()) })));
    let body = format!(
        "<main>{}{}{}</main>",
        section("Desk", &["Arc", "Orb"]),
        section("Floor", &["Cone"]),
        section("Wall", &[])
    );
    let value = json!([
        { "name": "Desk", "items": ["Arc", "Orb"] }, { "name": "Floor", "items": ["Cone"] }, { "name": "Wall", "items": [] }
    ]);
    let recipe = learnt(&body, &schema, &value);
    let other = format!(
        "<main>{}{}</main>",
        section("Bed", &[]),
        section("Bath", &["One", "Two", "Three"])
    );
    assert_eq!(
        recipe.replay(&other),
        Ok(json!([{ "name": "Bed", "items": [] }, { "name": "Bath", "items": ["One", "Two", "Three"] }]))
    );
}

#[test]
fn items_in_rows_of_a_grid_are_one_list() {
    let cards = |names: &[&str]| -> String {
        names
            .iter()
            .map(|name| format!("<div class=\"card\"><h3>{name}</h3></div>"))
            .collect()
    };
    let row = |names: &[&str]| format!("<div class=\"row\">{}</div>", cards(names));
    let schema = list_of(&object(&json!({ "name": text() })));
    let body = format!("<main>{}{}</main>", row(&["Arc", "Orb"]), row(&["Cone"]));
    let recipe = learnt(
        &body,
        &schema,
        &json!([{ "name": "Arc" }, { "name": "Orb" }, { "name": "Cone" }]),
    );
    let other = format!("<main>{}</main>", row(&["One", "Two", "Three"]));
    assert_eq!(
        recipe.replay(&other),
        Ok(json!([{ "name": "One" }, { "name": "Two" }, { "name": "Three" }]))
    );
}

#[test]
fn fields_give_their_values_and_states() {
    let form = |name: &str, checked: &str| {
        format!(
            "<form><label for=\"n\">Name</label><input id=\"n\" type=\"text\" value=\"{name}\">\
             <label><input type=\"checkbox\" {checked}> Newsletter</label>\
             <label><input type=\"checkbox\" checked> Post</label></form>"
        )
    };
    let schema = object(&json!({ "name": text(), "newsletter": { "type": "boolean" } }));
    let recipe = learnt(
        &form("Ada", "checked"),
        &schema,
        &json!({ "name": "Ada", "newsletter": true }),
    );
    assert_eq!(
        recipe.replay(&form("Eve", "")),
        Ok(json!({ "name": "Eve", "newsletter": false }))
    );
    let schema = object(&json!({ "agrees": { "type": "boolean" } }));
    assert!(try_to_learn(&form("Ada", "checked"), &schema, &json!({ "agrees": true })).is_none());
    let todo = |tasks: &[(&str, &str)]| -> String {
        let one = |(task, checked): &(&str, &str)| {
            format!("<li><input type=\"checkbox\" {checked}><b>{task}</b></li>")
        };
        format!("<ul>{}</ul>", tasks.iter().map(one).collect::<String>())
    };
    let schema = list_of(&object(&json!({ "task": text(), "done": { "type": "boolean" } })));
    let value = json!([{ "task": "Wash", "done": true }, { "task": "Cook", "done": false }]);
    let recipe = learnt(&todo(&[("Wash", "checked"), ("Cook", "")]), &schema, &value);
    assert_eq!(
        recipe.replay(&todo(&[("Run", "checked")])),
        Ok(json!([{ "task": "Run", "done": true }]))
    );
}

#[test]
fn what_people_do_not_see_is_not_taken() {
    let body = |price: &str| {
        format!("<main><h1>Arc</h1><p class=\"price\" hidden>€ 1.00</p><p class=\"price\">{price}</p></main>")
    };
    let schema = object(&json!({ "price": text() }));
    let recipe = learnt(&body("€ 5.00"), &schema, &json!({ "price": "€ 5.00" }));
    assert_eq!(recipe.replay(&body("€ 6.00")), Ok(json!({ "price": "€ 6.00" })));
    recipe.misfits(&body("€ 6.00").replace(" hidden", ""));
}

#[test]
fn values_that_the_schema_refuses_do_not_fit() {
    let schema = object(
        &json!({ "state": { "type": "string", "enum": ["open", "closed"] }, "left": { "type": "integer" } }),
    );
    let body = |state: &str, left: &str| {
        format!("<main><p class=\"state\">{state}</p><p class=\"left\">{left} left</p></main>")
    };
    let recipe = learnt(
        &body("open", "3"),
        &schema,
        &json!({ "state": "open", "left": 3 }),
    );
    assert_eq!(
        recipe.replay(&body("closed", "0")),
        Ok(json!({ "state": "closed", "left": 0 }))
    );
    assert_eq!(recipe.replay(&body("ajar", "3")).unwrap_err().why, Why::Refused);
    assert_eq!(recipe.replay(&body("open", "2.5")).unwrap_err().why, Why::Refused);
}

#[test]
fn recipes_of_another_version_or_without_sense_are_misfits() {
    let recipe = two_lamps().recipe;
    let mut file = serde_json::to_value(&recipe).unwrap();
    file["version"] = json!(2);
    let schema = ResponseSchema::new(&products_schema()).unwrap();
    let newer: Recipe = serde_json::from_value(file).unwrap();
    assert_eq!(
        newer.replay(&page("Shop", "<p>x</p>"), &schema).unwrap_err().why,
        Why::Version
    );
    let nth = |nth: u64, of: u64| json!({ "kind": "p", "nth": { "nth": nth, "of": of } });
    for value in [
        json!({ "members": [] }),
        json!("nothing"),
        json!({ "taken": { "places": [] } }),
        json!({ "taken": { "places": [{ "at": { "steps": [nth(0, 0)] }, "take": "text" }] } }),
        json!({ "taken": { "places": [{ "at": { "steps": [nth(u64::MAX, u64::MAX)] }, "take": { "line": { "nth": 0, "of": 0 } } }] } }),
        json!({ "taken": { "places": [{ "at": {}, "take": "text", "part": { "startsAnywhere": true, "endsAnywhere": true } }] } }),
        json!({ "list": { "container": {}, "items": [], "item": { "list": { "container": {}, "items": ["", "..", "p."], "item": "nothing" } } } }),
    ] {
        let odd: Recipe = serde_json::from_value(json!({ "version": 1, "value": value })).unwrap();
        assert!(odd.replay(&page("Shop", "<p>é</p>"), &schema).is_err(), "{value}");
    }
}

#[test]
fn long_tables_are_learnt_and_followed() {
    let rows = |from: usize, count: usize| -> String {
        (from..from + count)
            .map(|row| {
                format!(
                    "<tr><td><a href=\"/{row}\">Lamp {row}</a></td><td>{row} left</td><td>In stock</td></tr>"
                )
            })
            .collect()
    };
    let values = |from: usize, count: usize| -> Value {
        (from..from + count)
            .map(|row| json!({ "name": format!("Lamp {row}"), "left": row, "state": "In stock" }))
            .collect()
    };
    let table = |rows: &str| {
        format!(
            "<table><thead><tr><th>Name</th><th>Left</th><th>State</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    };
    let schema = list_of(&object(
        &json!({ "name": text(), "left": number(), "state": text() }),
    ));
    let recipe = learnt(&table(&rows(0, 400)), &schema, &values(0, 400));
    let other = page("Shop", &table(&rows(7000, 600)));
    let schema = ResponseSchema::new(&schema).unwrap();
    assert_eq!(recipe.recipe.replay(&other, &schema), Ok(values(7000, 600)));
}

#[test]
fn only_what_is_wholly_there_or_not_at_all_needs_no_page_at_rest() {
    let price = object(&json!({ "price": { "type": "number" } }));
    let one = learnt(
        "<dl><dt>Price</dt><dd>49</dd></dl>",
        &price,
        &json!({ "price": 49 }),
    );
    assert!(!one.recipe.needs_rest());
    let list = json!({ "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" } } } });
    let body = "<ul><li>Arc lamp</li><li>Desk lamp</li><li>Floor lamp</li></ul>";
    let value = json!([{ "name": "Arc lamp" }, { "name": "Desk lamp" }, { "name": "Floor lamp" }]);
    assert!(learnt(body, &list, &value).recipe.needs_rest());
}
