//! From the basket to an order.

use super::basket::Basket;
use super::template::{escape, fill, html};
use super::{euro, pages, sum};
use crate::hit::Hit;
use crate::route::Route;

/// An order as it was placed in the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Order {
    /// Its number; the first is 1001.
    pub number: u32,
    /// Names of products, amounts and sums in cents.
    pub lines: Vec<(String, u32, u64)>,
    /// The sum with delivery, in cents.
    pub total_cents: u64,
    /// Name of the buyer.
    pub name: String,
    /// Email of the buyer.
    pub email: String,
    /// Street and number.
    pub street: String,
    /// Postcode.
    pub postcode: String,
    /// City.
    pub city: String,
    /// Country.
    pub country: String,
    /// `standard` or `express`.
    pub delivery: String,
    /// The earliest delivery date as `YYYY-MM-DD`; empty when none was given.
    pub date: String,
    /// The note for the driver; empty when none was given.
    pub note: String,
    /// `invoice` or `card`.
    pub payment: String,
}

const COUNTRIES: [&str; 5] = ["Austria", "Belgium", "Denmark", "Germany", "Netherlands"];
const EXPRESS_CENTS: u64 = 950;

/// The fields of the checkout as they were filled in.
#[derive(Debug, Default)]
pub(super) struct Form {
    name: String,
    email: String,
    street: String,
    postcode: String,
    city: String,
    country: String,
    delivery: String,
    date: String,
    note: String,
    payment: String,
    terms: bool,
}

impl Form {
    /// As the owner of the shop's account would fill it in.
    pub(super) fn of_mira() -> Self {
        Self {
            name: "Mira Jansen".to_owned(),
            email: super::SHOP_EMAIL.to_owned(),
            street: "Keizersgracht 12".to_owned(),
            postcode: "1015".to_owned(),
            city: "Amsterdam".to_owned(),
            country: "Netherlands".to_owned(),
            delivery: "standard".to_owned(),
            payment: "invoice".to_owned(),
            terms: true,
            ..Self::default()
        }
    }

    pub(super) fn read(hit: &Hit) -> Self {
        let field = |name| hit.form_value(name).unwrap_or_default().trim().to_owned();
        Self {
            name: field("name"),
            email: field("email"),
            street: field("street"),
            postcode: field("postcode"),
            city: field("city"),
            country: field("country"),
            delivery: field("delivery"),
            date: field("date"),
            note: field("note"),
            payment: field("payment"),
            terms: field("terms") == "yes",
        }
    }

    /// What is wrong with the fields, in their order; empty when the order can be placed.
    pub(super) fn problems(&self, basket: &Basket) -> Vec<&'static str> {
        let email_fits = self
            .email
            .split_once('@')
            .is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
        let digits = self.postcode.bytes().all(|byte| byte.is_ascii_digit());
        let checks = [
            (basket.lines.is_empty(), "Your basket is empty."),
            (self.name.is_empty(), "Please give your name."),
            (!email_fits, "Please give an email address."),
            (self.street.is_empty(), "Please give street and number."),
            (
                !digits || !(4..=6).contains(&self.postcode.len()),
                "A postcode has four to six digits.",
            ),
            (self.city.is_empty(), "Please give the city."),
            (
                !COUNTRIES.contains(&self.country.as_str()),
                "Please choose a country.",
            ),
            (
                !self.date.is_empty() && !is_date(&self.date),
                "Please check the delivery date.",
            ),
            (!self.terms, "Please accept the terms of sale."),
        ];
        checks
            .into_iter()
            .filter(|(wrong, _)| *wrong)
            .map(|(_, problem)| problem)
            .collect()
    }

    pub(super) fn into_order(self, number: u32, basket: &Basket) -> Order {
        let express = self.delivery == "express";
        let delivery_cents = if express {
            EXPRESS_CENTS
        } else {
            basket.delivery_cents()
        };
        Order {
            number,
            lines: basket
                .lines
                .iter()
                .map(|line| {
                    (
                        line.product.name.clone(),
                        line.amount,
                        sum(std::slice::from_ref(line)),
                    )
                })
                .collect(),
            total_cents: sum(&basket.lines) + delivery_cents,
            name: self.name,
            email: self.email,
            street: self.street,
            postcode: self.postcode,
            city: self.city,
            country: self.country,
            delivery: if express { "express" } else { "standard" }.to_owned(),
            date: self.date,
            note: self.note,
            payment: if self.payment == "card" { "card" } else { "invoice" }.to_owned(),
        }
    }
}

/// Whether the text is a date of the calendar, `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return false,
    };
    text.len() == 10 && (1..=days).contains(day)
}

pub(super) fn page(hit: &Hit, port: u16, form: &Form, problems: &[&str]) -> Route {
    let basket = Basket::read(hit);
    if basket.lines.is_empty() && problems.is_empty() {
        return Route::redirect("/basket");
    }
    let count = basket.count();
    let list: String = problems
        .iter()
        .map(|problem| format!("<li>{}</li>", escape(problem)))
        .collect();
    let problems = if list.is_empty() {
        String::new()
    } else {
        format!("<div class=\"problems\" role=\"alert\">This did not work yet:<ul>{list}</ul></div>")
    };
    let countries = std::iter::once(("", "Please choose")).chain(COUNTRIES.iter().map(|name| (*name, *name)));
    let express = form.delivery == "express";
    let card = form.payment == "card";
    let content = fill(
        include_str!("../../pages/shop/checkout.html"),
        &[
            (
                "count",
                if count == 1 {
                    "1 piece".to_owned()
                } else {
                    format!("{count} pieces")
                }
                .into(),
            ),
            ("total", euro(sum(&basket.lines) + basket.delivery_cents()).into()),
            ("problems", html(problems)),
            ("name", (&form.name).into()),
            ("email", (&form.email).into()),
            ("street", (&form.street).into()),
            ("postcode", (&form.postcode).into()),
            ("city", (&form.city).into()),
            ("countries", html(pages::options(countries, &form.country))),
            ("standard_checked", html(pages::checked(!express))),
            ("express_checked", html(pages::checked(express))),
            ("date", (&form.date).into()),
            ("note", (&form.note).into()),
            ("invoice_checked", html(pages::checked(!card))),
            ("card_checked", html(pages::checked(card))),
            ("terms_checked", html(pages::checked(form.terms))),
        ],
    );
    pages::page(hit, port, "Checkout – Lamp shop", content)
}

pub(super) fn confirmation(hit: &Hit, port: u16, order: &Order) -> Route {
    let rows: String = order
        .lines
        .iter()
        .map(|(name, amount, cents)| {
            format!(
                "<tr><td>{}</td><td>{amount}</td><td>{}</td></tr>",
                escape(name),
                euro(*cents)
            )
        })
        .collect();
    let mut delivery = if order.delivery == "express" {
        "Express"
    } else {
        "Standard, three working days"
    }
    .to_owned();
    if !order.date.is_empty() {
        delivery.push_str(&format!(", not before {}", order.date));
    }
    let content = fill(
        include_str!("../../pages/shop/confirmation.html"),
        &[
            ("name", (&order.name).into()),
            ("number", order.number.to_string().into()),
            ("city", (&order.city).into()),
            ("country", (&order.country).into()),
            ("email", (&order.email).into()),
            ("rows", html(rows)),
            ("total", euro(order.total_cents).into()),
            ("delivery", delivery.into()),
            (
                "payment",
                if order.payment == "card" {
                    "Card on delivery"
                } else {
                    "Invoice"
                }
                .into(),
            ),
        ],
    );
    pages::page(hit, port, &format!("Order {} – Lamp shop", order.number), content)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates_are_days_of_the_calendar() {
        assert!(is_date("2028-02-29") && is_date("2027-12-31"));
        for text in [
            "2027-02-29",
            "2027-13-01",
            "2027-00-10",
            "2027-1-1",
            "soon",
            "2027-04-31",
            "2027-01-01-",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
