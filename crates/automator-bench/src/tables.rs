//! Generated tables: pages that grow without end, as a list of orders does.

use std::fmt::Write as _;

/// The words that make up the items.
const COLOURS: [&str; 7] = ["amber", "birch", "coral", "dusk", "ebony", "flint", "green"];
const THINGS: [&str; 5] = ["desk lamp", "floor lamp", "lantern", "spotlight", "wall light"];

/// A page with a heading and one table of five columns, the last of which holds a link in each row.
pub(crate) fn table(rows: usize) -> String {
    let mut html = format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{rows} orders</title></head><body>\
         <h1>{rows} orders</h1><table><thead><tr><th>Number</th><th>Customer</th><th>Item</th><th>Price</th>\
         <th>Details</th></tr></thead><tbody>"
    );
    for row in 1..=rows {
        let (colour, thing) = (COLOURS[row % COLOURS.len()], THINGS[row % THINGS.len()]);
        let (customer, cents) = (row * 613 % 1_009, row * 37 % 10_007);
        let (whole, part) = (cents / 100, cents % 100);
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<tr><td>{row}</td><td>Customer {customer}</td><td>{colour} {thing}</td><td>{whole}.{part:02}</td>\
             <td><a href=\"/orders/{row}\">Order {row}</a></td></tr>"
        );
    }
    html.push_str("</tbody></table></body></html>");
    html
}

/// The path at which a table is served.
pub(crate) fn path(rows: usize) -> String {
    format!("/table/{rows}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_as_many_rows_and_links_as_asked_for() {
        let html = table(1_000);
        assert_eq!(html.matches("<tr><td>").count(), 1_000);
        assert_eq!(html.matches("<a href=").count(), 1_000);
        assert!(html.contains("<td>1000</td>") && html.ends_with("</html>"));
    }

    #[test]
    fn prices_have_two_digits_after_the_point() {
        assert!(table(3).contains("<td>0.37</td>"));
        assert!(table(271).contains("<td>0.20</td>"), "{}", table(271));
    }
}
