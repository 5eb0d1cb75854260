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

/// Something that should be an address, without a user and a password: also where it is none.
pub(crate) fn as_told(text: &str) -> String {
    let parsed = Url::parse(text).ok().filter(Url::has_host);
    match (parsed, text.rsplit_once('@')) {
        (_, None) => text.to_owned(),
        (Some(url), Some(_)) => without_user(url).into(),
        (None, Some((_, rest))) => format!("…@{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_has_no_user_also_where_it_is_no_address() {
        for (text, told) in [
            ("http://ann:sekret@a.example/b", "http://a.example/b"),
            ("http://ann:sekret@a b", "…@a b"),
            ("ann:sekret@a", "…@a"),
            ("http://a.example", "http://a.example"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(as_told(text), told);
        }
    }
}
