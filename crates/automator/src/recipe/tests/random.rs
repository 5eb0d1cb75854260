//! Pages made at random from one template: what is learnt on one gives exactly the data of another, or nothing.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{list_of, number, object, shop, text, try_to_learn};
use crate::recipe::Recipe;

/// A template: how an item is marked up, and how numbers are written.
#[derive(Debug, Clone, Copy)]
struct Template {
    layout: u8,
    with_classes: bool,
    with_commas: bool,
}

#[derive(Debug, Clone)]
struct Item {
    name: String,
    cents: u32,
    badge: Option<String>,
}

fn price(cents: u32, with_commas: bool) -> String {
    let (whole, rest) = (cents / 100, cents % 100);
    let (group, mark) = if with_commas { ('.', ',') } else { (',', '.') };
    let whole = match whole / 1000 {
        0 => whole.to_string(),
        thousands => format!("{thousands}{group}{:03}", whole % 1000),
    };
    format!("{whole}{mark}{rest:02}")
}

fn render(template: Template, items: &[Item]) -> String {
    let class = |name: &str| {
        if template.with_classes {
            format!(" class=\"{name}\"")
        } else {
            String::new()
        }
    };
    let (name_class, price_class, badge_class) = (class("name"), class("price"), class("badge"));
    let one = |item: &Item| {
        let price = price(item.cents, template.with_commas);
        let name = &item.name;
        let badge = item
            .badge
            .as_ref()
            .map_or(String::new(), |badge| format!("<em{badge_class}>{badge}</em>"));
        match template.layout {
            0 => format!("<li><h3{name_class}>{name}</h3><p{price_class}>€ {price}</p>{badge}</li>"),
            1 => format!(
                "<li><a href=\"/x\">{name}</a> <span{price_class}>{price} EUR</span><div>{badge}</div></li>"
            ),
            2 => format!("<li><div><b{name_class}>{name}</b></div><div>Price: {price} {badge}</div></li>"),
            _ => format!("<tr><td>{name}</td><td>{price}</td><td>{badge}</td></tr>"),
        }
    };
    let items: String = items.iter().map(one).collect();
    match template.layout {
        3 => format!(
            "<main><table><thead><tr><th>Name</th><th>Price</th><th>Badge</th></tr></thead><tbody>{items}</tbody></table></main>"
        ),
        _ => shop(&items),
    }
}

fn value(items: &[Item]) -> Value {
    let one = |item: &Item| {
        let price = crate::recipe::number::to_value(f64::from(item.cents) / 100.0);
        let mut one = json!({ "name": item.name, "price": price });
        if let Some(badge) = &item.badge {
            one["badge"] = json!(badge);
        }
        one
    };
    items.iter().map(one).collect()
}

fn items(least: usize) -> impl Strategy<Value = Vec<Item>> {
    let badge = prop::option::of(prop_oneof![Just("New"), Just("Sale"), Just("Last one")]);
    let item = ("[A-Z][a-z]{2,7}( [A-Z0-9][a-z0-9]{1,5})?", 1_u32..400_000, badge);
    let item = item.prop_map(|(name, cents, badge)| Item {
        name,
        cents,
        badge: badge.map(str::to_owned),
    });
    prop::collection::vec(item, least..7)
}

fn template() -> impl Strategy<Value = Template> {
    (0..4_u8, any::<bool>(), any::<bool>()).prop_map(|(layout, with_classes, with_commas)| Template {
        layout,
        with_classes,
        with_commas,
    })
}

fn schema() -> Value {
    let mut item = object(&json!({ "name": text(), "price": number() }));
    item["properties"]["badge"] = text();
    list_of(&item)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: ProptestConfig::default().cases.div_ceil(4),
        ..ProptestConfig::default()
    })]

    #[test]
    fn other_data_of_the_same_template_is_given_exactly_or_not_at_all(
        template in template(),
        first in items(1),
        second in items(0),
    ) {
        if let Some(learnt) = try_to_learn(&render(template, &first), &schema(), &value(&first))
            && let Ok(replayed) = learnt.replay(&render(template, &second))
        {
            prop_assert_eq!(replayed, value(&second));
        }
    }

    #[test]
    fn a_list_in_which_all_members_were_seen_is_always_learnt_and_followed(
        template in template(),
        mut first in items(2),
        second in items(1),
    ) {
        // Both with and without a badge, and each name once: then nothing is open.
        for (position, item) in first.iter_mut().enumerate() {
            item.badge = (position % 2 == 0).then(|| ["New", "Sale"][position / 2 % 2].to_owned());
            item.name = format!("{} {}", item.name, ["One", "Two", "Three", "Four", "Five", "Six"][position]);
            item.cents += position as u32 * 400_000;
        }
        let learnt = try_to_learn(&render(template, &first), &schema(), &value(&first));
        prop_assert!(learnt.is_some());
        let replayed = learnt.unwrap().replay(&render(template, &second));
        prop_assert_eq!(replayed, Ok(value(&second)));
    }

    #[test]
    fn another_template_is_never_misread(
        one in template(),
        other in template(),
        first in items(1),
        second in items(1),
    ) {
        if let Some(learnt) = try_to_learn(&render(one, &first), &schema(), &value(&first))
            && let Ok(replayed) = learnt.replay(&render(other, &second))
        {
            prop_assert_eq!(replayed, value(&second));
        }
    }

    #[test]
    fn files_with_changed_members_are_read_without_a_panic(
        template in template(),
        first in items(2),
        cut in any::<prop::sample::Index>(),
        text in "[\\PC]{0,6}",
    ) {
        let Some(learnt) = try_to_learn(&render(template, &first), &schema(), &value(&first)) else {
            return Ok(());
        };
        let mut file = serde_json::to_string(&learnt.recipe).unwrap();
        let mut at = cut.index(file.len());
        while !file.is_char_boundary(at) {
            at -= 1;
        }
        file.insert_str(at, &text);
        if let Ok(recipe) = serde_json::from_str::<Recipe>(&file) {
            let changed = super::Learnt { recipe, schema: schema() };
            let _ = changed.replay(&render(template, &first));
        }
    }
}
