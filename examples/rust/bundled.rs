//! Where the examples run: on the address given as the first argument, else on the shop of this repository, with one
//! order on its books; with the model given as the second argument, else with the one whose key is in the environment,
//! else with the stand-in of this repository, which needs no key.

#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own may read its environment"
)]

use automator::{ModelOptions, Provider, Secret};
use automator_testing::{ScriptedModel, Shop};

/// Models that are asked when their provider's key is set.
const MODELS: [&str; 3] = [
    "openai/gpt-4.1-mini",
    "anthropic/claude-haiku-4-5",
    "google/gemini-2.5-flash",
];

/// A site and a model. The bundled ones stop when this is dropped.
pub(crate) struct Bundled {
    /// The address of the site, with a slash at its end.
    pub(crate) address: String,
    /// Which model is asked.
    pub(crate) model: ModelOptions,
    /// Who answers, in words.
    pub(crate) who: String,
    _shop: Option<Shop>,
    _scripted: Option<ScriptedModel>,
}

impl Bundled {
    /// Reads the arguments of the program and starts what they leave out.
    pub(crate) async fn start() -> Self {
        let mut arguments = std::env::args().skip(1);
        let (address, shop) = match arguments.next() {
            Some(address) => (format!("{}/", address.trim_end_matches('/')), None),
            None => {
                let shop = Shop::start().await;
                shop.add_order();
                (shop.url.clone(), Some(shop))
            }
        };
        let named = arguments.next().or_else(|| {
            let with_key = MODELS.iter().find(|name| has_key(name));
            with_key.map(|name| (*name).to_owned())
        });
        let (model, who, scripted) = match named {
            Some(name) => (ModelOptions::new(&name), name, None),
            None => {
                let scripted = ScriptedModel::for_shop().await;
                let who = "the stand-in of this repository, which compares words (set OPENAI_API_KEY, \
                           ANTHROPIC_API_KEY or GEMINI_API_KEY for a real model)";
                (stand_in(&scripted), who.to_owned(), Some(scripted))
            }
        };
        Self {
            address,
            model,
            who,
            _shop: shop,
            _scripted: scripted,
        }
    }
}

/// The options that lead to the stand-in.
pub(crate) fn stand_in(scripted: &ScriptedModel) -> ModelOptions {
    let mut model = ModelOptions::new("openai/gpt-4.1-mini");
    model.api_key = Some(Secret::new("scripted"));
    model.base_url = Some(scripted.base_url());
    model
}

fn has_key(model: &str) -> bool {
    let provider = model.split('/').next().and_then(Provider::lookup);
    let names = provider.map(Provider::key_variables).unwrap_or_default();
    names
        .iter()
        .any(|name| std::env::var(name).is_ok_and(|key| !key.is_empty()))
}
