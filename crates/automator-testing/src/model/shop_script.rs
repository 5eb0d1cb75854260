//! Answers requests over the bundled shop by reading the page text: extract requests here, act and observe
//! requests in `acting.rs`, those of agents in `agent.rs`.
//!
//! Nothing about the shop's products stands here: what is known is how a shop writes them down, a
//! block (a list item, a table row, or the page around them) that holds a price on a line of its own.
//! Lists whose members are the columns of a table are read by `table.rs`.

mod acting;
mod agent;
mod table;
mod words;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::outline::{Element, elements_of_line};
use super::request::{Kind, Request};
use super::schema::{allows, resolve};

/// How deep a schema is followed; deeper members are left out.
const SCHEMA_DEPTH: usize = 16;

pub(crate) fn answer(request: &Request) -> Answer {
    let products = read_products(&request.text);
    match (request.kind, &request.schema) {
        (Kind::Extract, Some(schema)) => {
            let rows = table::read(&request.text, schema);
            let value = rows.or_else(|| fill_object_or_list(schema, schema, &products, SCHEMA_DEPTH));
            Answer::value(value.unwrap_or_else(|| json!({})))
        }
        (Kind::Act, _) => Answer::value(acting::act(&request.text)),
        (Kind::Observe, _) => Answer::value(acting::observe(&request.text)),
        (Kind::Agent, _) => agent::answer(request, &products),
        (Kind::Text, _) => Answer::text(describe(&products)),
        (kind, _) => panic!("the shop's model has no answer to a request of the kind {kind:?}"),
    }
}

/// One product as the page text shows it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Product {
    name: String,
    /// The price as it is written, and as a number.
    price: (String, f64),
    link: Option<String>,
    availability: Option<String>,
    rating: Option<f64>,
    reviews: Option<u64>,
}

/// The products of the page in page order, a product page's own first.
fn read_products(text: &str) -> Vec<Product> {
    let page: Vec<&str> = match text
        .lines()
        .position(|line| line.starts_with("[0-0] ") || line.contains("] RootWebArea"))
    {
        Some(start) => text.lines().skip(start).collect(),
        None => text.lines().collect(),
    };
    let mut inside = vec![false; page.len()];
    let mut products: Vec<Product> = Vec::new();
    for (start, line) in page.iter().enumerate() {
        let end = block_end(&page, start);
        let block = page.get(start..end).unwrap_or_default();
        // An item around a list of products is no product itself.
        let outer = (start + 1..end)
            .any(|inner| is_block(page[inner]) && has_price(&page[inner..block_end(&page, inner)]));
        if !is_block(line) || outer {
            continue;
        }
        if let Some(product) = read_product(block) {
            inside[start..end].fill(true);
            // The same product may stand in two lists of a page.
            if !products.contains(&product) {
                products.push(product);
            }
        }
    }
    let rest: Vec<&str> = page
        .iter()
        .zip(&inside)
        .filter(|(_, inside)| !**inside)
        .map(|(line, _)| *line)
        .collect();
    if let Some(own) = read_product(&rest) {
        // A product's own page does not link to itself, and its first link is one of the shop.
        products.insert(0, Product { link: None, ..own });
    }
    products
}

fn is_block(line: &str) -> bool {
    let line = line.trim_start();
    let after_id = line.split_once("] ").map_or("", |(_, after)| after);
    line == "-" || line.starts_with("- ") || line.starts_with("row: ") || after_id.starts_with("row: ")
}

/// Where the block that starts at a line ends: at the next line that is not indented deeper.
fn block_end(page: &[&str], start: usize) -> usize {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = page.get(start).map_or(0, |line| depth(line));
    let after = page.iter().skip(start + 1).position(|line| depth(line) <= own);
    after.map_or(page.len(), |count| start + 1 + count)
}

fn has_price(block: &[&str]) -> bool {
    texts(block).iter().any(|text| read_price(text).is_some())
}

fn read_product(block: &[&str]) -> Option<Product> {
    let texts = texts(block);
    let price = texts.iter().find_map(|text| read_price(text))?;
    let elements: Vec<Element> = block.iter().flat_map(|line| elements_of_line(line)).collect();
    let of_role = |wanted: &str| {
        let named = elements
            .iter()
            .filter(move |element| element.role_and_name().0 == wanted);
        named
            .map(|element| (element.id.clone(), element.role_and_name().1.to_owned()))
            .find(|(_, name)| !name.is_empty())
    };
    let link = of_role("link");
    let name = of_role("heading")
        .or_else(|| link.clone())
        .or_else(|| of_role("image"))
        .map(|(_, name)| name);
    let everything = || {
        texts
            .iter()
            .map(String::as_str)
            .chain(elements.iter().map(|element| element.role_and_name().1))
    };
    Some(Product {
        // A sum at the foot of a basket has a price, but nothing that could be a product.
        name: name?,
        price,
        link: link.map(|(id, _)| id),
        availability: texts.iter().find(|text| is_availability(text)).cloned(),
        rating: everything().find_map(|text| number_before(text, " out of ")),
        reviews: everything()
            .find_map(|text| number_before(text, " review"))
            .map(|count| count as u64),
    })
}

/// The bare texts of a block: lines and cells without an id, and without the marks of lists and rows.
fn texts(block: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for line in block {
        let line = line.trim_start();
        let line = line.strip_prefix("- ").unwrap_or(line);
        let line = line
            .strip_prefix("row: ")
            .or_else(|| line.strip_prefix("text: "))
            .unwrap_or(line);
        for cell in line
            .split(" | ")
            .filter(|cell| elements_of_line(cell).is_empty() && *cell != "-")
        {
            texts.push(cell.trim().to_owned());
        }
    }
    texts
}

/// A price that has a line or cell to itself: `€ 49.00`, or `Was € 59.00, now € 49.00` (the last counts).
fn read_price(text: &str) -> Option<(String, f64)> {
    let start = text.rfind('€')?;
    let digits = text[start..].trim_start_matches('€').trim_start();
    let end =
        digits.find(|character: char| !character.is_ascii_digit() && character != '.' && character != ',');
    let (number, after) = digits.split_at(end.unwrap_or(digits.len()));
    let before: String = text[..start]
        .chars()
        .filter(|character| character.is_alphabetic())
        .collect();
    let only_price = matches!(
        before.to_ascii_lowercase().as_str(),
        "" | "wasnow" | "now" | "price"
    );
    if !after.trim().is_empty() || !only_price {
        return None;
    }
    let value = number.replace(',', "").parse::<f64>().ok()?;
    Some((format!("€ {number}"), value))
}

fn is_availability(text: &str) -> bool {
    let text = text.to_lowercase();
    ["in stock", "sold out", "left", "back in", "made to order"]
        .iter()
        .any(|words| text.contains(words))
}

/// The number that stands right before some words: `4.6` of `Rated 4.6 out of 5`.
fn number_before(text: &str, words: &str) -> Option<f64> {
    let before = text.split_once(words)?.0;
    let number = before
        .rsplit(|character: char| !character.is_ascii_digit() && character != '.')
        .next()?;
    number.parse().ok()
}

fn describe(products: &[Product]) -> String {
    let lines: Vec<String> = products
        .iter()
        .map(|product| format!("{}: {}", product.name, product.price.0))
        .collect();
    if lines.is_empty() {
        "There are no products on this page.".to_owned()
    } else {
        lines.join("\n")
    }
}

/// Fills a schema: lists with all products, single members from the first.
fn fill_object_or_list(root: &Value, schema: &Value, products: &[Product], depth: usize) -> Option<Value> {
    let schema = resolve(root, schema);
    if depth == 0 {
        return None;
    }
    if let Some(items) = schema.get("items") {
        let one =
            |product: &Product| fill_object_or_list(root, items, std::slice::from_ref(product), depth - 1);
        return Some(Value::Array(products.iter().filter_map(one).collect()));
    }
    let Some(members) = schema.get("properties").and_then(Value::as_object) else {
        return Some(describe_as(schema, products));
    };
    let mut object = Map::new();
    for (name, member) in members {
        let real = resolve(root, member);
        let nested = real.get("items").is_some() || real.get("properties").is_some();
        let value = if nested {
            fill_object_or_list(root, real, products, depth - 1)
        } else {
            member_value(name, real, products).or_else(|| may_be_null(member).then_some(Value::Null))
        };
        if let Some(value) = value {
            object.insert(name.clone(), value);
        }
    }
    Some(Value::Object(object))
}

/// A schema without members: one text or number for the whole page.
fn describe_as(schema: &Value, products: &[Product]) -> Value {
    let price = products.first().map(|product| product.price.1);
    if allows(schema, "number") {
        json!(price)
    } else {
        json!(describe(products))
    }
}

fn may_be_null(schema: &Value) -> bool {
    let choices = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(*key))
        .and_then(Value::as_array);
    allows(schema, "null") || choices.into_iter().flatten().any(|choice| allows(choice, "null"))
}

/// The value of one member, chosen by its name and type; `None` when the page does not say.
fn member_value(name: &str, schema: &Value, products: &[Product]) -> Option<Value> {
    let name = name.to_lowercase();
    let is_number = allows(schema, "number") || allows(schema, "integer");
    // What is no object is asked for as the one member of an object.
    if name == "value" && (is_number || allows(schema, "string")) {
        return Some(describe_as(schema, products));
    }
    let about = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if about(&["extraction", "summary", "answer"]) {
        return Some(json!(describe(products)));
    }
    if about(&["count", "total", "how"]) && allows(schema, "integer") && !about(&["review"]) {
        return Some(json!(products.len()));
    }
    let product = products.first()?;
    if about(&["link", "url", "href", "address", "page"]) {
        product.link.as_ref().map(|id| json!(id))
    } else if about(&["currency"]) {
        Some(json!("EUR"))
    } else if about(&["price", "cost", "amount"]) {
        Some(if is_number {
            json!(product.price.1)
        } else {
            json!(product.price.0)
        })
    } else if about(&["stock", "avail", "delivery"]) {
        let text = product.availability.as_ref()?;
        let here = !["sold out", "back in"]
            .iter()
            .any(|words| text.to_lowercase().contains(words));
        Some(if allows(schema, "boolean") {
            json!(here)
        } else {
            json!(text)
        })
    } else if about(&["review"]) {
        product.reviews.map(|count| json!(count))
    } else if about(&["rating", "stars", "score"]) {
        product.rating.map(|rating| {
            if is_number {
                json!(rating)
            } else {
                json!(rating.to_string())
            }
        })
    } else if about(&["name", "title", "product", "lamp", "item"]) {
        Some(json!(product.name))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
