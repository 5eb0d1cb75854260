//! The range of the shop, read once from `pages/shop/products.json`.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Product {
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) category: String,
    /// In euros.
    price: f64,
    /// The price before a reduction.
    was: Option<f64>,
    pub(super) stock: u32,
    /// The month in which a sold-out product is expected again.
    back: Option<String>,
    pub(super) rating: f64,
    pub(super) reviews: u32,
    pub(super) finish: String,
    pub(super) colour: String,
    pub(super) watt: u32,
    pub(super) height: u32,
    pub(super) summary: String,
    /// Its place when the newest come first; higher is newer.
    pub(super) added: u32,
}

/// The categories: word in addresses, name, heading, introduction.
pub(super) const CATEGORIES: [(&str, &str, &str); 5] = [
    ("desk", "Desk lamps", "Light for work, without glare."),
    (
        "table",
        "Table lamps",
        "Small lamps for the sideboard and the bedside.",
    ),
    ("floor", "Floor lamps", "They stand where you need them."),
    ("ceiling", "Pendants", "One lamp for the whole table."),
    ("wall", "Wall lights", "Out of the way, inside and outside."),
];

/// The item number of the first product.
const FIRST_NUMBER: usize = 501;

static PRODUCTS: LazyLock<Vec<Product>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../pages/shop/products.json")).expect("products.json fits its type")
});

pub(super) fn all() -> &'static [Product] {
    &PRODUCTS
}

pub(super) fn find(slug: &str) -> Option<&'static Product> {
    all().iter().find(|product| product.slug == slug)
}

/// The product of an item number.
pub(super) fn with_number(number: &str) -> Option<&'static Product> {
    all()
        .iter()
        .find(|product| product.number().to_string() == number)
}

/// The products whose name, finish or category holds all words, whatever their case.
pub(super) fn matching(words: &str) -> Vec<&'static Product> {
    let words: Vec<String> = words
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let fits = |product: &&Product| {
        let text = format!("{} {} {}", product.name, product.finish, product.category_name()).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    all().iter().filter(fits).collect()
}

impl Product {
    /// The item number; the first is 501.
    pub(super) fn number(&self) -> usize {
        all().iter().position(|other| other == self).unwrap_or_default() + FIRST_NUMBER
    }

    pub(super) fn cents(&self) -> u64 {
        to_cents(self.price)
    }

    pub(super) fn cents_before(&self) -> Option<u64> {
        self.was.map(to_cents)
    }

    pub(super) fn category_name(&self) -> &'static str {
        CATEGORIES
            .iter()
            .find(|(word, ..)| *word == self.category)
            .map_or("Lamps", |(_, name, _)| name)
    }

    /// What the shop says about the stock, and the style class for it.
    pub(super) fn availability(&self) -> (String, &'static str) {
        match (self.stock, &self.back) {
            (0, Some(month)) => (format!("Back in {month}"), "out"),
            (0, None) => ("Sold out".to_owned(), "out"),
            (1..=5, _) => (format!("Only {} left", self.stock), "low"),
            _ => ("In stock".to_owned(), "in"),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "prices are small and positive"
)]
fn to_cents(euros: f64) -> u64 {
    (euros * 100.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_has_every_category_and_state_of_stock() {
        assert!(all().len() >= 12);
        for (word, ..) in CATEGORIES {
            assert!(all().iter().any(|product| product.category == word), "{word}");
        }
        assert!(all().iter().all(|product| product.category_name() != "Lamps"));
        for text in ["In stock", "Only 3 left", "Sold out", "Back in March"] {
            assert!(
                all().iter().any(|product| product.availability().0 == text),
                "{text}"
            );
        }
        assert_eq!(find("arc-lamp").map(Product::cents), Some(4900));
    }

    #[test]
    fn all_words_of_a_search_must_fit() {
        let names = |words: &str| {
            matching(words)
                .iter()
                .map(|product| product.name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(names("BRASS arc"), ["Arc lamp"]);
        assert_eq!(names("arc navy"), Vec::<&str>::new());
        assert_eq!(names("pendants").len(), 2);
    }
}
