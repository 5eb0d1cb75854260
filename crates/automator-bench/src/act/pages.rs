//! The pages that operations are measured on.

use std::fmt::Write as _;

use automator_testing::{Route, Site};

/// The path of a form of [`FIELDS`] inputs.
pub(crate) const FORM: &str = "/form";

/// The path of a page that is quiet once it is loaded.
pub(crate) const QUIET: &str = "/quiet";

/// The path of the same page when it never goes quiet.
pub(crate) const RESTLESS: &str = "/restless";

/// The inputs of the form.
const FIELDS: usize = 200;

/// The heading of the form.
pub(crate) const HEADING: &str = "Survey of households";

/// The name of the button on each page.
pub(crate) const BUTTON: &str = "Send the answers";

/// The absolute XPath of the button of the form, as both libraries write it.
pub(crate) const BUTTON_XPATH: &str = "xpath=/html[1]/body[1]/form[1]/button[1]";

/// Gives how often the button was pressed since the page was loaded.
pub(crate) const PRESSES: &str = "Number(document.getElementById('presses').textContent)";

/// Counts presses where [`PRESSES`] reads them.
const COUNTING: &str = "<p>Sent: <span id=presses>0</span></p><script>
    document.querySelector('button').addEventListener('click', () => {
      const count = document.getElementById('presses');
      count.textContent = Number(count.textContent) + 1;
    });
  </script>";

/// Makes a page restless: a text that changes every 40 ms, and a request that never ends.
const UNREST: &str = "<p>Ticks: <span id=ticks>0</span></p><script>
    let ticks = 0;
    setInterval(() => { document.getElementById('ticks').textContent = ++ticks; }, 40);
    fetch('/never').catch(() => {});
  </script>";

/// The kinds of inputs, in the order in which they follow each other.
const KINDS: [&str; 8] = [
    "text", "email", "number", "checkbox", "date", "password", "radio", "tel",
];

/// Serves the pages.
pub(crate) fn serve(site: &Site) {
    site.put_at(FORM, form());
    site.put_at(QUIET, small(""));
    site.put_at(RESTLESS, small(UNREST));
    site.route("/never", Route::never());
}

fn form() -> String {
    let mut fields = String::new();
    for number in 1..=FIELDS {
        let kind = KINDS[number % KINDS.len()];
        // Writing to a string cannot fail.
        let _ = write!(
            fields,
            "<div><label for=q{number}>Question {number} {kind}</label>\
             <input id=q{number} name=q{number} type={kind}></div>"
        );
    }
    page(&format!(
        "<h1>{HEADING}</h1><form onsubmit=\"return false\">{fields}<label for=region>Region</label>\
         <select id=region><option>North</option><option>South</option><option>West</option></select>\
         <button type=submit>{BUTTON}</button></form>{COUNTING}"
    ))
}

fn small(unrest: &str) -> String {
    page(&format!(
        "<h1>Short survey</h1><p>All questions are answered.</p>\
         <button type=button>{BUTTON}</button>{COUNTING}{unrest}"
    ))
}

fn page(body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Survey</title></head><body>{body}</body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_has_its_inputs_and_one_button() {
        let form = form();
        assert_eq!(form.matches("<input ").count(), FIELDS);
        assert_eq!(form.matches("<label ").count(), FIELDS + 1);
        assert_eq!(form.matches("<button").count(), 1);
    }

    #[test]
    fn only_the_restless_page_keeps_changing() {
        assert!(!small("").contains("setInterval") && small(UNREST).contains("setInterval"));
        assert!(small(UNREST).contains("fetch("));
    }
}
