//! The basket: a cookie of the form `arc-lamp*2.clip-light*1`.

use serde_json::json;

use super::products::{self, Product};
use super::template::{fill, html};
use super::{euro, pages, sum};
use crate::hit::Hit;
use crate::route::Route;

/// The most pieces of one product in a basket.
const MOST: u32 = 99;

/// What is in a basket.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Basket {
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) product: &'static Product,
    pub(super) amount: u32,
}

impl Basket {
    /// Reads the cookie; what is not understood is left out.
    pub(super) fn read(hit: &Hit) -> Self {
        let mut basket = Self::default();
        for line in hit.cookie("basket").unwrap_or_default().split('.') {
            let Some((slug, amount)) = line.split_once('*') else {
                continue;
            };
            if let (Some(product), Ok(amount)) = (products::find(slug), amount.parse::<u32>()) {
                basket.set(product, amount);
            }
        }
        basket
    }

    /// Sets the amount of a product; 0 takes it out.
    fn set(&mut self, product: &'static Product, amount: u32) {
        let amount = amount.min(MOST);
        match self.lines.iter_mut().find(|line| line.product == product) {
            Some(line) => line.amount = amount,
            None => self.lines.push(Line { product, amount }),
        }
        self.lines.retain(|line| line.amount > 0);
    }

    fn amount_of(&self, product: &Product) -> u32 {
        self.lines
            .iter()
            .find(|line| line.product == product)
            .map_or(0, |line| line.amount)
    }

    /// How many pieces there are.
    pub(super) fn count(&self) -> u32 {
        self.lines.iter().map(|line| line.amount).sum()
    }

    /// The price of delivery in cents: free from 60 euros.
    pub(super) fn delivery_cents(&self) -> u64 {
        if self.lines.is_empty() || sum(&self.lines) >= 6000 {
            0
        } else {
            450
        }
    }

    fn cookie(&self) -> String {
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| format!("{}*{}", line.product.slug, line.amount))
            .collect();
        format!("basket={}; Path=/; SameSite=Lax", lines.join("."))
    }
}

pub(super) fn page(hit: &Hit, port: u16) -> Route {
    let basket = Basket::read(hit);
    let table = if basket.lines.is_empty() {
        "<p>There is nothing in it yet. <a href=\"/\">Look at our lamps</a></p>".to_owned()
    } else {
        let rows: String = basket.lines.iter().map(row).collect();
        let delivery = basket.delivery_cents();
        fill(
            include_str!("../../pages/shop/basket_table.html"),
            &[
                ("rows", html(rows)),
                (
                    "delivery",
                    if delivery == 0 {
                        "free".to_owned()
                    } else {
                        euro(delivery)
                    }
                    .into(),
                ),
                ("total", euro(sum(&basket.lines) + delivery).into()),
            ],
        )
    };
    let content = fill(
        include_str!("../../pages/shop/basket.html"),
        &[("table", html(table))],
    );
    pages::page(hit, port, "Your basket – Lamp shop", content)
}

fn row(line: &Line) -> String {
    fill(
        include_str!("../../pages/shop/basket_row.html"),
        &[
            ("slug", (&line.product.slug).into()),
            ("name", (&line.product.name).into()),
            ("price", euro(line.product.cents()).into()),
            ("amount", line.amount.to_string().into()),
            ("sum", euro(sum(std::slice::from_ref(line))).into()),
        ],
    )
}

/// Adds a product, and answers the script of the page with JSON and a plain form with the basket.
pub(super) fn add(hit: &Hit, port: u16) -> Route {
    let Some(product) = hit.form_value("product").and_then(|slug| products::find(&slug)) else {
        return Route {
            status: 422,
            ..pages::message(hit, port, "Unknown lamp", "We do not have this lamp.")
        };
    };
    let amount = hit
        .form_value("amount")
        .and_then(|amount| amount.parse::<u32>().ok())
        .unwrap_or(1);
    let mut basket = Basket::read(hit);
    let wanted = basket.amount_of(product).saturating_add(amount);
    let message = if wanted > product.stock {
        format!("We only have {} of {}", product.stock, product.name)
    } else {
        format!("{} is in your basket", product.name)
    };
    basket.set(product, wanted.min(product.stock));
    let route = if hit.header("accept").is_some_and(|accept| accept.contains("json")) {
        Route::json(&json!({ "count": basket.count(), "message": message }))
    } else {
        Route {
            status: 303,
            ..Route::redirect("/basket")
        }
    };
    route.set_cookie(&basket.cookie())
}

/// Takes over the amounts of the basket page, or removes one product.
pub(super) fn update(hit: &Hit) -> Route {
    let mut basket = Basket::read(hit);
    for (name, value) in hit.form() {
        if name == "remove" {
            if let Some(product) = products::find(&value) {
                basket.set(product, 0);
            }
        } else if let (Some(product), Ok(amount)) = (products::find(&name), value.parse::<u32>()) {
            basket.set(product, amount.min(product.stock));
        }
    }
    Route {
        status: 303,
        ..Route::redirect("/basket")
    }
    .set_cookie(&basket.cookie())
}
