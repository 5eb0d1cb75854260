//! Addresses as they are told: without what may be a secret in them; pure.

use url::Url;

/// An address without a user and a password.
pub(crate) fn without_user(mut url: Url) -> Url {
    // These have no such parts where there is no host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// An address without what may be a secret in it: user and password, query and fragment.
pub(crate) fn without_query(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.split(['?', '#']).next().unwrap_or_default().to_owned();
    };
    parsed.set_query(None);
    parsed.set_fragment(None);
    without_user(parsed).into()
}
