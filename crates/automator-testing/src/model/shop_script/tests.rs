use super::*;

const LIST: &str = "\
Read the page.
- Answer in JSON.

[0-0] RootWebArea: Lamp shop
  navigation: Main
    - [0-1] link: Sale
    - [0-2] link: Delivery from € 4.50
  main
    [0-3] heading: Desk lamps
    Free delivery from € 50
    list
      -
        [0-4] image: Arc lamp in brass
        [0-15] heading
          [0-5] link: Arc lamp
        € 49.00
        [0-6] image: Rated 4.6 out of 5
        128 reviews
        Only 3 left
        [0-7] button: Add to basket
      -
        [0-8] link: Beam lamp
        Was € 1,059.00, now € 1,019.50
        Sold out
The products.";

fn list_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "products": { "type": "array", "items": { "$ref": "#/$defs/Product" } } },
        "$defs": { "Product": { "type": "object", "properties": {
            "name": { "type": "string" },
            "price": { "type": "number" },
            "priceText": { "type": "string" },
            "inStock": { "type": "boolean" },
            "rating": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
            "reviews": { "type": ["integer", "null"] },
            "url": { "type": "string", "pattern": "^\\d+-\\d+$" },
            "colour": { "type": ["string", "null"] },
            "voltage": { "type": "string" },
        } } },
    })
}

#[test]
fn a_list_of_products_is_read_from_its_lines() {
    let products = read_products(LIST);
    let schema = list_schema();
    assert_eq!(
        fill_object_or_list(&schema, &schema, &products, SCHEMA_DEPTH),
        Some(json!({ "products": [
            { "name": "Arc lamp", "price": 49.0, "priceText": "€ 49.00", "inStock": true, "rating": 4.6,
              "reviews": 128, "url": "0-5", "colour": null },
            { "name": "Beam lamp", "price": 1019.5, "priceText": "€ 1,019.50", "inStock": false, "rating": null,
              "reviews": null, "url": "0-8", "colour": null },
        ] }))
    );
}

#[test]
fn changing_the_page_text_changes_the_answer() {
    let products = read_products(&LIST.replace("Arc lamp", "Dot lamp").replace("€ 49.00", "€ 7.25"));
    assert_eq!(
        (products[0].name.as_str(), products[0].price.1),
        ("Dot lamp", 7.25)
    );
}

#[test]
fn a_product_page_comes_before_the_products_it_recommends() {
    let page = "[0-0] RootWebArea: Orb lamp\n  banner\n    [0-9] link: Lamp shop\n  main\n    [0-1] heading: Orb lamp\n    € 89.00\n    In stock\n    list\n      - [0-2] link: Dot lamp\n      -\n        [0-3] link: Arc lamp\n        € 49.00";
    let names: Vec<String> = read_products(page)
        .into_iter()
        .map(|product| product.name)
        .collect();
    assert_eq!(names, ["Orb lamp", "Arc lamp"]);
    let schema = json!({ "type": "object", "properties": { "title": { "type": "string" }, "price": { "type": "number" } } });
    assert_eq!(
        fill_object_or_list(&schema, &schema, &read_products(page), SCHEMA_DEPTH),
        Some(json!({ "title": "Orb lamp", "price": 89.0 }))
    );
}

#[test]
fn table_rows_with_a_link_are_products_too() {
    let page = "[0-0] RootWebArea: Basket\n  table: Basket\n    row: Product | Price\n    row: [0-1] link: Arc lamp | € 49.00 | [0-2] button: Remove\n    row: Delivery | € 4.50";
    let products = read_products(page);
    assert_eq!(products.len(), 1);
    assert_eq!(
        (products[0].name.as_str(), products[0].link.as_deref()),
        ("Arc lamp", Some("0-1"))
    );
}

#[test]
fn an_item_around_other_items_is_no_product() {
    let page = "[0-0] RootWebArea: X\n  list\n    -\n      [0-1] heading: Desk\n      list\n        -\n          [0-2] link: Arc\n          € 1.00\n        -\n          [0-3] link: Orb\n          € 2.00";
    let names: Vec<String> = read_products(page)
        .into_iter()
        .map(|product| product.name)
        .collect();
    assert_eq!(names, ["Arc", "Orb"]);
}

#[test]
fn a_page_without_prices_has_no_products() {
    assert!(
        read_products("[0-0] RootWebArea: X\n  - [0-1] link: About us\n  Free delivery from € 50").is_empty()
    );
    assert_eq!(describe(&[]), "There are no products on this page.");
}

#[test]
fn one_text_names_every_product_with_its_price() {
    let schema = json!({ "type": "object", "properties": { "extraction": { "type": "string" } } });
    assert_eq!(
        fill_object_or_list(&schema, &schema, &read_products(LIST), SCHEMA_DEPTH),
        Some(json!({ "extraction": "Arc lamp: € 49.00\nBeam lamp: € 1,019.50" }))
    );
}

#[test]
fn what_is_no_object_is_the_one_member_of_one() {
    let products = read_products(LIST);
    let answer = |kind: &str| {
        let schema = json!({ "type": "object", "properties": { "value": { "type": kind } } });
        fill_object_or_list(&schema, &schema, &products[..1], SCHEMA_DEPTH)
    };
    assert_eq!(answer("string"), Some(json!({ "value": "Arc lamp: € 49.00" })));
    assert_eq!(answer("number"), Some(json!({ "value": 49.0 })));
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" }, "similar": { "$ref": "#" } } });
    assert!(fill_object_or_list(&schema, &schema, &read_products(LIST), SCHEMA_DEPTH).is_some());
}
