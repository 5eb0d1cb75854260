//! How models are reached: through a proxy of the server's own, by a policy of its own.
//!
//! A caller may name any address for a model. So where the server can go and its callers must not, the policy says so,
//! and the proxy holds to it: it resolves a name once and dials what it has judged.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use automator::{
    Environment as _, EnvironmentSource, ModelConnections, ModelOptions, ModelProxy, ProxyFailure,
};
use url::{Host, Url};

use crate::egress::failures::Failures;
use crate::egress::headers::OWN_ANSWERS;
use crate::egress::policy::{EgressPolicy, Refusal};
use crate::egress::proxy::{EgressOptions, EgressProxy};
use crate::egress::resolver::{Resolver, SystemResolver};

/// How models are reached.
#[derive(Debug)]
pub struct ModelAccess {
    policy: EgressPolicy,
    connections: ModelConnections,
    environment: EnvironmentSource,
    resolver: Arc<dyn Resolver>,
    /// Goes with this.
    _proxy: EgressProxy,
}

/// The proxy, as clients of models know it.
#[derive(Debug)]
struct Between {
    address: SocketAddr,
    failures: Arc<Failures>,
}

impl ModelProxy for Between {
    fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    fn own_answers(&self) -> &'static str {
        OWN_ANSWERS
    }

    fn failure(&self, host: &str, port: u16) -> Option<ProxyFailure> {
        self.failures.last(host, port)
    }
}

/// The address of a model that must not be reached from here.
#[derive(Debug, thiserror::Error)]
#[error("model.baseURL: {0}")]
pub struct ModelRefused(#[from] Refusal);

impl ModelAccess {
    /// Models by this policy; with the keys of the server's own environment only if `keys_from_environment`.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(policy: EgressPolicy, keys_from_environment: bool) -> io::Result<Self> {
        Self::start_with(policy, keys_from_environment, Arc::new(SystemResolver)).await
    }

    async fn start_with(
        policy: EgressPolicy,
        keys_from_environment: bool,
        resolver: Arc<dyn Resolver>,
    ) -> io::Result<Self> {
        let failures = Arc::<Failures>::default();
        let proxy = EgressProxy::start_with(EgressOptions {
            resolver: Arc::clone(&resolver),
            failures: Some(Arc::clone(&failures)),
            ..EgressOptions::new(policy.clone())
        })
        .await?;
        let between = Between {
            address: proxy.address(),
            failures,
        };
        let connections = ModelConnections::through_proxy(Arc::new(between)).map_err(io::Error::other)?;
        let environment = match keys_from_environment {
            true => keys_alone(EnvironmentSource::default()),
            false => EnvironmentSource::new(|_| None),
        };
        Ok(Self {
            policy,
            connections,
            environment,
            resolver,
            _proxy: proxy,
        })
    }

    /// The connections that models are reached by.
    #[must_use]
    pub fn connections(&self) -> ModelConnections {
        self.connections.clone()
    }

    /// Where keys are looked up that a call does not give.
    #[must_use]
    pub fn environment(&self) -> EnvironmentSource {
        self.environment.clone()
    }

    /// Says early, and by name, what the proxy would refuse later.
    ///
    /// # Errors
    /// [`ModelRefused`].
    pub async fn check(&self, model: &ModelOptions) -> Result<(), ModelRefused> {
        let Some(url) = model.base_url.as_deref().and_then(|url| Url::parse(url).ok()) else {
            return Ok(());
        };
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Ok(());
        };
        let host = host.to_owned();
        self.policy.judge_host(&host, port)?;
        if let Host::Domain(name) = &host
            && let Ok(addresses) = self.resolver.resolve(name).await
        {
            for address in addresses {
                self.policy.judge_address(&host, port, address)?;
            }
        }
        Ok(())
    }
}

/// Keys alone: an address in the environment is the server's own affair, and so is everything else there.
fn keys_alone(environment: EnvironmentSource) -> EnvironmentSource {
    EnvironmentSource::new(move |name| {
        let is_key = name.ends_with("_API_KEY") && name != "REMOTE_API_KEY";
        is_key.then(|| environment.variable(name)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::egress::policy::EgressMode;
    use crate::egress::resolver::ResolverFuture;

    /// A name that leads to the network when it is asked for first, and to this machine from then on.
    #[derive(Debug, Default)]
    struct Changing(AtomicBool);

    impl Resolver for Changing {
        fn resolve<'a>(&'a self, _name: &'a str) -> ResolverFuture<'a> {
            let was_asked = self.0.swap(true, Ordering::Relaxed);
            let address: IpAddr = if was_asked { [127, 0, 0, 1] } else { [1, 1, 1, 1] }.into();
            Box::pin(async move { Ok(vec![address]) })
        }
    }

    fn model(base_url: &str) -> ModelOptions {
        let mut model = ModelOptions::new("test/model");
        model.base_url = Some(base_url.to_owned());
        model
    }

    #[tokio::test]
    async fn addresses_that_are_not_for_callers_are_refused_by_name() {
        let access = ModelAccess::start(EgressPolicy::new(EgressMode::Public), false).await;
        let access = access.expect("a free port");
        for refused in [
            "http://127.0.0.1:9/v1",
            "http://localhost:9/v1",
            "http://[::1]/",
            "http://10.0.0.1/",
            "http://169.254.169.254/latest",
        ] {
            let error = access.check(&model(refused)).await.expect_err(refused);
            assert!(error.to_string().starts_with("model.baseURL: "), "{error}");
        }
        assert!(access.check(&model("https://1.1.1.1/v1")).await.is_ok());
        assert!(
            access
                .check(&ModelOptions::new("openai/gpt-4.1-mini"))
                .await
                .is_ok()
        );
    }

    #[tokio::test]
    async fn a_name_that_changes_after_it_was_judged_leads_nowhere() {
        let policy = EgressPolicy::new(EgressMode::Public);
        let access = ModelAccess::start_with(policy, false, Arc::new(Changing::default())).await;
        let access = access.expect("a free port");
        let server = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = server.local_addr().expect("an address").port();
        let model = model(&format!("http://model.example:{port}/v1"));
        access.check(&model).await.expect("a name of the network");
        let ModelAccess { _proxy: proxy, .. } = &access;
        for request in [
            format!("CONNECT model.example:{port} HTTP/1.1\r\nhost: model.example:{port}\r\n\r\n"),
            format!(
                "GET http://model.example:{port}/v1 HTTP/1.1\r\nhost: model.example:{port}\r\nconnection: close\r\n\r\n"
            ),
        ] {
            let mut stream = TcpStream::connect(proxy.address()).await.expect("the proxy");
            stream.write_all(request.as_bytes()).await.expect("sent");
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.expect("an answer");
            assert_eq!(&answer, b"HTTP/1.1 403", "{request}");
        }
        let connected = tokio::time::timeout(std::time::Duration::from_millis(50), server.accept()).await;
        assert!(connected.is_err(), "it was connected to");
    }

    #[test]
    fn only_keys_of_models_come_from_the_environment() {
        let all = EnvironmentSource::new(|name| Some(format!("value of {name}")));
        let keys = keys_alone(all);
        assert!(keys.variable("OPENAI_API_KEY").is_some());
        assert_eq!(keys.variable("REMOTE_API_KEY"), None);
        assert_eq!(keys.variable("OPENAI_BASE_URL"), None);
    }
}
