//! The twelve calls of a run, in words and for the elements of a page; pure.

use automator_testing::Request;
use serde_json::{Value, json};

/// What the agent is to do.
pub(super) const TASK: &str = "Refuse the cookies that are not needed. Buy two arc lamps, and read their name, price and \
    power off their page. They go to Ada Lovelace, ada@example.test, Herengracht 5, 1015 Amsterdam, Netherlands.";

/// What the model says at the end.
pub(super) const SUMMARY: &str = "Two arc lamps are ordered; one is 49 euro and has 7 watts.";

/// What is bought.
pub(super) const PRODUCT: &str = "Arc lamp";
pub(super) const AMOUNT: u32 = 2;
pub(super) const NAME: &str = "Ada Lovelace";
pub(super) const CITY: &str = "Amsterdam";
pub(super) const COUNTRY: &str = "Netherlands";

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Act(Deed),
    /// To a path of the shop.
    Goto(&'static str),
    /// The page as a text.
    AriaTree,
    Extract,
    FillForm,
}

/// One thing to one element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deed {
    method: Method,
    /// What kind of element people call it.
    kind: &'static str,
    /// Its role in the page texts of the contenders.
    roles: &'static [&'static str],
    name: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Method {
    Click,
    Fill(&'static str),
    Select(&'static str),
}

/// How a model tells the agent's tool which element it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// By the id that it has in the page text which the model was shown.
    Ids,
    /// By its name.
    Words,
}

/// The calls: a look at the page, as the peer's prompt asks for before anything else; eight acts, four of them onto
/// another page; an address; a form; an extraction.
pub(super) const STEPS: [Step; 12] = [
    Step::AriaTree,
    Step::Act(button("Only what is needed")),
    Step::Act(link("Desk lamps")),
    Step::Act(link(PRODUCT)),
    Step::Act(Deed {
        roles: &["spinbutton"],
        ..field("Amount", "2")
    }),
    Step::Act(button("Add to basket")),
    // What is put into the basket is on its way meanwhile; the peer goes to the next address without waiting for it.
    Step::Extract,
    Step::Goto("basket"),
    Step::Act(link("Go to checkout")),
    Step::FillForm,
    Step::Act(Deed {
        method: Method::Click,
        kind: "box",
        roles: &["checkbox"],
        name: "I accept the terms of sale",
    }),
    Step::Act(button("Place order")),
];

const FORM: [Deed; 6] = [
    field("Name", NAME),
    field("Email", "ada@example.test"),
    field("Street and number", "Herengracht 5"),
    field("Postcode", "1015"),
    field("City", CITY),
    Deed {
        method: Method::Select(COUNTRY),
        kind: "list",
        roles: &["select", "combobox"],
        name: "Country",
    },
];

const fn button(name: &'static str) -> Deed {
    Deed {
        method: Method::Click,
        kind: "button",
        roles: &["button"],
        name,
    }
}

const fn link(name: &'static str) -> Deed {
    Deed {
        method: Method::Click,
        kind: "link",
        roles: &["link"],
        name,
    }
}

const fn field(name: &'static str, text: &'static str) -> Deed {
    Deed {
        method: Method::Fill(text),
        kind: "field",
        roles: &["textbox"],
        name,
    }
}

impl Step {
    /// The tool and its arguments, for a model that was sent this request.
    pub(super) fn call(self, manner: Manner, request: &Request, shop: &str) -> (&'static str, Value) {
        match self {
            Self::Act(deed) => ("act", json!({ "action": deed.told(manner, request) })),
            Self::Goto(path) => ("goto", json!({ "url": format!("{shop}{path}") })),
            Self::AriaTree => ("ariaTree", json!({})),
            Self::Extract => (
                "extract",
                json!({
                    "instruction": "the name of the lamp, its price and its power",
                    "schema": {
                        "type": "object",
                        "properties": {
                            "name": { "type": "string" },
                            "price": { "type": "number" },
                            "watt": { "type": "number" },
                        },
                        "required": ["name", "price", "watt"],
                    },
                }),
            ),
            Self::FillForm => {
                let fields: Vec<Value> = FORM
                    .iter()
                    .map(|deed| json!({ "action": deed.told(manner, request) }))
                    .collect();
                ("fillForm", json!({ "fields": fields }))
            }
        }
    }
}

impl Deed {
    /// By the id of the element if the model has it before its eyes, else in words.
    fn told(&self, manner: Manner, request: &Request) -> String {
        let id = (manner == Manner::Ids).then(|| self.id(request)).flatten();
        id.map_or_else(|| self.words(), |id| self.on(&format!("[{id}]")))
    }

    fn words(&self) -> String {
        self.on(&self.description())
    }

    fn on(&self, element: &str) -> String {
        match self.method {
            Method::Click => format!("click {element}"),
            Method::Fill(text) => format!("type \"{text}\" into {element}"),
            Method::Select(option) => format!("select \"{option}\" in {element}"),
        }
    }

    fn id(&self, request: &Request) -> Option<String> {
        self.roles
            .iter()
            .find_map(|role| request.find_id(&format!("{role}: {}", self.name)))
    }

    fn method(&self) -> &'static str {
        match self.method {
            Method::Click => "click",
            Method::Fill(_) => "fill",
            Method::Select(_) => "selectOptionFromDropdown",
        }
    }

    fn description(&self) -> String {
        format!("the {} \"{}\"", self.kind, self.name)
    }

    /// The answer of an operation that looks for the element.
    fn action(&self, request: &Request) -> Value {
        let arguments = match self.method {
            Method::Click => vec![],
            Method::Fill(text) | Method::Select(text) => vec![text],
        };
        json!({
            // Panics when there is none, with the elements that there are: the run fails, and says so.
            "elementId": self.id(request).unwrap_or_else(|| request.id_of(&format!("{}: {}", self.roles[0], self.name))),
            "description": self.description(),
            "method": self.method(),
            "arguments": arguments,
        })
    }
}

/// What `act` inside a run is answered: the deed whose words it asks about. Where an element is looked for anew, the
/// peer asks in words made of the answer before.
pub(super) fn act(request: &Request) -> Value {
    let acts = STEPS.iter().filter_map(|step| match step {
        Step::Act(deed) => Some(deed),
        _ => None,
    });
    let asked = acts.chain(&FORM).find(|deed| {
        let again = format!("{} {}", deed.method(), deed.description());
        [deed.words(), again]
            .iter()
            .any(|words| request.text.contains(words))
    });
    match asked {
        Some(deed) => deed.action(request),
        None => panic!("nobody is to do this: {}", request.text),
    }
}

/// What `observe` inside a run is answered: all fields of the form.
pub(super) fn form(request: &Request) -> Value {
    FORM.iter().map(|deed| deed.action(request)).collect()
}

/// What `extract` inside a run is answered.
pub(super) fn extracted() -> Value {
    json!({ "name": PRODUCT, "price": 49, "watt": 7 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_kind_of_call_and_does_not_wait() {
        let acts = STEPS.iter().filter(|step| matches!(step, Step::Act(_))).count();
        assert_eq!((STEPS.len(), acts), (12, 8));
        assert!(STEPS.iter().any(|step| matches!(step, Step::Extract)));
        assert!(STEPS.iter().any(|step| matches!(step, Step::FillForm)));
    }

    #[test]
    fn no_two_deeds_are_told_alike() {
        let acts = STEPS.iter().filter_map(|step| match step {
            Step::Act(deed) => Some(deed.words()),
            _ => None,
        });
        let mut all: Vec<String> = acts.chain(FORM.iter().map(Deed::words)).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
