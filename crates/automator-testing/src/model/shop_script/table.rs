//! Reads lists of objects from the tables of the page text.
//!
//! A list is read from the first table whose head has a column for each member. A table without a head is read when
//! it has two columns and the list two members of which the first names no product, as a specification has.

use serde_json::{Map, Value, json};

use super::super::outline::elements_of_line;
use super::super::schema::{allows, resolve};
use super::words::{self, shared};

/// The value of a schema whose only content is a list of objects; none when no table has its members.
pub(super) fn read(text: &str, schema: &Value) -> Option<Value> {
    let (wrapper, list) = the_list(schema)?;
    let item = resolve(schema, list.get("items")?);
    let members: Vec<(&String, &Value)> = item.get("properties")?.as_object()?.iter().collect();
    let tables = tables(text);
    let rows = tables
        .iter()
        .find_map(|table| with_head(table, &members, schema))
        .or_else(|| {
            let plain = |table: &&Vec<Vec<String>>| {
                table.len() > 1 && table.iter().all(|row| row.len() == members.len())
            };
            let columns: Vec<usize> = (0..members.len()).collect();
            let is_pair = members.len() == 2 && !names_product(members[0].0);
            let table = tables.iter().find(plain).filter(|_| is_pair)?;
            Some(objects(table, &members, &columns, schema))
        })?;
    Some(match wrapper {
        Some(name) => json!({ name: rows }),
        None => Value::Array(rows),
    })
}

/// The list that a schema is, or that its only member is.
fn the_list(schema: &Value) -> Option<(Option<&str>, &Value)> {
    let outer = resolve(schema, schema);
    if outer.get("items").is_some() {
        return Some((None, outer));
    }
    let mut members = outer.get("properties")?.as_object()?.iter();
    let (name, member) = members.next()?;
    let list = resolve(schema, member);
    (members.next().is_none() && list.get("items").is_some()).then_some((Some(name), list))
}

fn names_product(member: &str) -> bool {
    shared(&words::of(member), &words::of("name title product lamp item")) > 0
}

/// The rows under a head that has a column for each member.
fn with_head(table: &[Vec<String>], members: &[(&String, &Value)], root: &Value) -> Option<Vec<Value>> {
    let (head, rows) = table.split_first()?;
    let column = |(name, _): &(&String, &Value)| {
        let wanted = words::of(name);
        let holds_all =
            |cell: &String| !wanted.is_empty() && shared(&wanted, &words::of(cell)) == wanted.len();
        head.iter().position(holds_all)
    };
    let columns: Vec<usize> = members.iter().map(column).collect::<Option<_>>()?;
    // A sum at the foot spans columns and has fewer cells.
    let whole: Vec<Vec<String>> = rows
        .iter()
        .filter(|row| row.len() == head.len())
        .cloned()
        .collect();
    Some(objects(&whole, members, &columns, root))
}

fn objects(
    rows: &[Vec<String>],
    members: &[(&String, &Value)],
    columns: &[usize],
    root: &Value,
) -> Vec<Value> {
    let object = |row: &Vec<String>| {
        let pairs = members.iter().zip(columns);
        let object: Map<String, Value> = pairs
            .filter_map(|((name, schema), column)| {
                let cell = row.get(*column)?;
                Some(((*name).clone(), cell_value(cell, resolve(root, schema))?))
            })
            .collect();
        Value::Object(object)
    };
    rows.iter().map(object).collect()
}

fn cell_value(cell: &str, schema: &Value) -> Option<Value> {
    if allows(schema, "string") {
        return Some(json!(cell));
    }
    let digits: String = cell
        .chars()
        .filter(|character| character.is_ascii_digit() || *character == '.')
        .collect();
    if allows(schema, "integer") {
        return digits.parse::<i64>().ok().map(|number| json!(number));
    }
    digits.parse::<f64>().ok().map(|number| json!(number))
}

/// The cells of each table, row by row.
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match row_of(line.trim_start()) {
            Some(row) if inside => tables
                .last_mut()
                .into_iter()
                .for_each(|table| table.push(cells(row))),
            Some(row) => tables.push(vec![cells(row)]),
            None => {}
        }
        inside = row_of(line.trim_start()).is_some();
    }
    tables
}

fn row_of(line: &str) -> Option<&str> {
    line.strip_prefix("row: ")
        .or_else(|| line.strip_prefix('[')?.split_once("] row: ").map(|(_, row)| row))
}

fn cells(row: &str) -> Vec<String> {
    // An empty last cell has no blank behind its border.
    let row = row
        .strip_suffix(" |")
        .map_or_else(|| row.to_owned(), |row| format!("{row} | "));
    row.split(" | ").map(cell).collect()
}

/// What a cell says: what a field holds, what an element is called, or its text.
fn cell(text: &str) -> String {
    match elements_of_line(text).first() {
        Some(element) => {
            let name = element.role_and_name().1;
            name.rsplit_once(" = ")
                .map_or(name, |(_, value)| value)
                .to_owned()
        }
        None => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASKET: &str = "\
[0-0] RootWebArea: Basket
  table: Basket
    row: Product | Price | Amount | Sum |
    row: [0-1] link: Arc lamp | € 1,049.00 | [0-2] spinbutton: Amount of Arc = 2 | € 2,098.00 | [0-3] button: Remove
    row: Total | € 2,098.00 |
  table: Specification
    row: Finish | brass
    row: Power | 7 W";

    fn list_of(members: &Value) -> Value {
        json!({ "type": "array", "items": { "type": "object", "properties": members } })
    }

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let members = json!({ "sum": { "type": "number" }, "product": { "type": "string" }, "amount": { "type": "integer" } });
        let expected = json!([{ "sum": 2098.0, "product": "Arc lamp", "amount": 2 }]);
        assert_eq!(read(BASKET, &list_of(&members)), Some(expected.clone()));
        let wrapped = json!({ "type": "object", "properties": { "value": list_of(&members) } });
        assert_eq!(read(BASKET, &wrapped), Some(json!({ "value": expected })));
    }

    #[test]
    fn a_table_without_a_head_is_read_in_pairs() {
        let members = json!({ "property": { "type": "string" }, "value": { "type": "string" } });
        assert_eq!(
            read(BASKET, &list_of(&members)),
            Some(
                json!([{ "property": "Finish", "value": "brass" }, { "property": "Power", "value": "7 W" }])
            )
        );
    }

    #[test]
    fn other_lists_are_read_from_no_table() {
        let members = json!({ "name": { "type": "string" }, "price": { "type": "number" } });
        assert_eq!(read(BASKET, &list_of(&members)), None);
        assert_eq!(
            read("no table", &list_of(&json!({ "sum": { "type": "number" } }))),
            None
        );
        assert_eq!(read(BASKET, &json!({ "type": "string" })), None);
    }
}
