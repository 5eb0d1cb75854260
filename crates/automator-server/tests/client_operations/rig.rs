//! A server, a site, scripted models and sessions.

use std::path::Path;

use automator::{Automator, Builder, Env, EnvironmentSource, LocalBrowserLaunchOptions, ModelOptions, Page};
use automator_server::Server;
use automator_testing::{ScriptedModel, Site, Usage};

use crate::client::{Folder, options, start};

/// A server, a site and a scripted model.
pub(crate) struct Rig {
    folder: Folder,
    pub(crate) server: Server,
    key: String,
    pub(crate) site: Site,
}

impl Rig {
    pub(crate) async fn start() -> Self {
        let folder = Folder::new();
        let (server, client) = start(options(folder.path())).await;
        Self {
            folder,
            server,
            key: client.key().to_owned(),
            site: Site::start().await,
        }
    }

    /// The folder of the server.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A session on the server.
    pub(crate) fn remote(&self) -> Builder {
        let (address, key) = (format!("http://{}", self.server.address()), self.key.clone());
        Automator::builder(Env::Remote).with(|options| {
            options.api_key = Some(key);
            options.remote_base_url = Some(address);
            // The key of the model is one of this program's environment.
            options.environment =
                EnvironmentSource::new(|name| (name == "OPENAI_API_KEY").then(|| "sk-test".to_owned()));
        })
    }

    pub(crate) async fn close(self, automator: &Automator) {
        automator.close().await.expect("a close");
        self.server.stop().await;
    }
}

pub(crate) fn local() -> Builder {
    let launch = LocalBrowserLaunchOptions {
        args: vec!["--disable-background-networking".to_owned()],
        ..LocalBrowserLaunchOptions::default()
    };
    Automator::builder(Env::Local).local_browser(launch)
}

pub(crate) fn model_on(model: &ScriptedModel) -> ModelOptions {
    let mut options = ModelOptions::new("openai/gpt-4.1-mini");
    options.base_url = Some(model.base_url());
    options
}

pub(crate) async fn scripted() -> ScriptedModel {
    let model = ScriptedModel::start().await;
    model.set_usage(Usage {
        input: 100,
        output: 20,
        reasoning: 3,
        cached: 5,
    });
    model
}

pub(crate) async fn open(builder: Builder) -> (Automator, Page) {
    let automator = builder.build().expect("usable options");
    automator.init().await.expect("a session");
    let page = automator.context().expect("open").active_page().expect("a page");
    (automator, page)
}
