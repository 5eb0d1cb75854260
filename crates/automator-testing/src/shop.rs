use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hit::Hit;
use crate::route::Route;
use crate::site::Site;

mod basket;
mod checkout;
mod invoice;
mod pages;
mod products;
mod template;

use basket::{Basket, Line};
use checkout::Form;
pub use checkout::Order;

/// A small web shop for lamps: a realistic site for demos, examples and tests.
///
/// It has a product list with filter and sorting, a search with suggestions, product pages with a
/// specification table and reviews in a shadow root (at `/product/arc-lamp` and by item number at `/item/501`), a basket, a checkout with validation, a sign-in, an
/// account, an order confirmation with an invoice to download, a cookie banner, and a newsletter form in
/// a frame of another site. It works without the network, and every start is the same: baskets and
/// sign-ins live in the browser's cookies, orders and newsletter addresses in this value.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let shop = automator_testing::Shop::start().await;
/// println!("open {}", shop.url);
/// assert!(shop.orders().is_empty());
/// # }
/// ```
#[derive(Debug)]
pub struct Shop {
    /// The address of the product list, at `127.0.0.1`.
    pub url: String,
    site: Site,
    records: Arc<Records>,
}

/// The email that the shop's sign-in takes.
pub const SHOP_EMAIL: &str = "mira@lamp-shop.test";
/// The password that belongs to [`SHOP_EMAIL`].
pub const SHOP_PASSWORD: &str = "bright-evening";

/// The number of the first order.
const FIRST_ORDER: u32 = 1001;

impl Shop {
    /// Starts the shop.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn start() -> Self {
        let site = Site::start().await;
        let records = Arc::new(Records::default());
        serve_files(&site);
        let port = site.port();
        let handler = Arc::clone(&records);
        site.fallback(move |hit| answer(hit, &handler, port));
        Self {
            url: site.url("/"),
            site,
            records,
        }
    }

    /// The server under the shop: its request log, and room for more pages.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The orders placed so far, oldest first.
    pub fn orders(&self) -> Vec<Order> {
        self.records.orders().clone()
    }

    /// Puts an order on the books as if it had been placed before: one arc lamp for Mira in Amsterdam. Its invoice can
    /// be downloaded from the account.
    pub fn add_order(&self) -> Order {
        let line = Line {
            product: products::all().first().expect("the shop has products"),
            amount: 1,
        };
        let basket = Basket { lines: vec![line] };
        let mut orders = self.records.orders();
        let order = Form::of_mira().into_order(next_number(&orders), &basket);
        orders.push(order.clone());
        order
    }

    /// The addresses that subscribed to the newsletter, oldest first.
    pub fn newsletter(&self) -> Vec<String> {
        self.records.newsletter().clone()
    }
}

#[derive(Default)]
struct Records {
    orders: Mutex<Vec<Order>>,
    newsletter: Mutex<Vec<String>>,
}

impl Records {
    fn orders(&self) -> MutexGuard<'_, Vec<Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newsletter(&self) -> MutexGuard<'_, Vec<String>> {
        self.newsletter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Records")
            .field("orders", &self.orders().len())
            .finish_non_exhaustive()
    }
}

fn serve_files(site: &Site) {
    site.route(
        "/style.css",
        Route::typed("text/css; charset=utf-8", include_str!("../pages/shop/style.css")),
    );
    site.route(
        "/shop.js",
        Route::typed(
            "text/javascript; charset=utf-8",
            include_str!("../pages/shop/shop.js"),
        ),
    );
    for product in products::all() {
        let image = Route::typed("image/svg+xml", pages::image(product));
        site.route(&format!("/images/{}.svg", product.slug), image);
    }
}

/// Everything that is not a file.
fn answer(hit: &Hit, records: &Records, port: u16) -> Route {
    let parts: Vec<&str> = hit.path.split('/').skip(1).collect();
    match (hit.method.as_str(), parts.as_slice()) {
        ("GET" | "HEAD", [""]) => pages::home(hit, port),
        ("GET", ["product", slug]) => match products::find(slug) {
            Some(product) => pages::product(hit, port, product),
            None => pages::not_found(hit, port),
        },
        ("GET", ["item", number]) => match products::with_number(number) {
            Some(product) => pages::product(hit, port, product),
            None => pages::not_found(hit, port),
        },
        ("GET", ["search"]) => pages::search(hit, port),
        ("GET", ["suggest"]) => pages::suggestions(hit),
        ("GET", ["delivery"]) => pages::delivery(hit, port),
        ("GET", ["basket"]) => basket::page(hit, port),
        ("POST", ["basket", "add"]) => basket::add(hit, port),
        ("POST", ["basket", "update"]) => basket::update(hit),
        ("GET", ["checkout"]) => checkout::page(hit, port, &Form::default(), &[]),
        ("POST", ["checkout"]) => place_order(hit, records, port),
        ("GET", ["order", number]) => match find_order(records, number) {
            Some(order) => checkout::confirmation(hit, port, &order),
            None => pages::not_found(hit, port),
        },
        ("GET", ["order", number, "invoice"]) => match find_order(records, number) {
            Some(order) => invoice::download(&order),
            None => pages::not_found(hit, port),
        },
        ("GET", ["login"]) => pages::login(hit, port, ""),
        ("POST", ["login"]) => sign_in(hit, port),
        ("POST", ["logout"]) => Route::redirect("/").set_cookie("user=; Path=/; Max-Age=0"),
        ("GET", ["account"]) if pages::user(hit).is_some() => pages::account(hit, port, &records.orders()),
        ("GET", ["account"]) => Route::redirect("/login"),
        ("GET", ["newsletter"]) => pages::newsletter(None),
        ("POST", ["newsletter"]) => {
            let email = hit.form_value("email").unwrap_or_default();
            records.newsletter().push(email.clone());
            pages::newsletter(Some(&email))
        }
        _ => pages::not_found(hit, port),
    }
}

fn sign_in(hit: &Hit, port: u16) -> Route {
    let field = |name| hit.form_value(name).unwrap_or_default();
    if field("email") == SHOP_EMAIL && field("password") == SHOP_PASSWORD {
        return Route {
            status: 303,
            ..Route::redirect("/account")
        }
        .set_cookie("user=mira; Path=/; SameSite=Lax");
    }
    Route {
        status: 422,
        ..pages::login(hit, port, &field("email"))
    }
}

fn place_order(hit: &Hit, records: &Records, port: u16) -> Route {
    let form = Form::read(hit);
    let basket = Basket::read(hit);
    let problems = form.problems(&basket);
    if !problems.is_empty() {
        return Route {
            status: 422,
            ..checkout::page(hit, port, &form, &problems)
        };
    }
    let mut orders = records.orders();
    let number = next_number(&orders);
    orders.push(form.into_order(number, &basket));
    Route {
        status: 303,
        ..Route::redirect(&format!("/order/{number}"))
    }
    .set_cookie("basket=; Path=/; Max-Age=0")
}

fn next_number(orders: &[Order]) -> u32 {
    FIRST_ORDER + u32::try_from(orders.len()).unwrap_or(u32::MAX - FIRST_ORDER)
}

fn find_order(records: &Records, number: &str) -> Option<Order> {
    records
        .orders()
        .iter()
        .find(|order| order.number.to_string() == number)
        .cloned()
}

/// An amount of money as the shop writes it.
fn euro(cents: u64) -> String {
    let whole = (cents / 100).to_string();
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("€ {grouped}.{:02}", cents % 100)
}

/// The sum of some lines.
fn sum(lines: &[Line]) -> u64 {
    lines
        .iter()
        .map(|line| line.product.cents() * u64::from(line.amount))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::euro;

    #[test]
    fn money_has_two_decimals_and_groups_of_three() {
        assert_eq!(euro(4900), "€ 49.00");
        assert_eq!(euro(5), "€ 0.05");
        assert_eq!(euro(123_456_789), "€ 1,234,567.89");
    }
}
