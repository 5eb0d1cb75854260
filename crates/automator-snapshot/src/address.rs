//! Addresses of links, images and documents, absolute as the browser resolves them.

use std::borrow::Cow;

use url::Url;

use crate::attribute::Attribute;
use crate::role::Role;
use crate::tree::{Kind, NodeIndex, Tree};

/// The address that an element leads to or shows; none when it has none or it cannot be resolved.
pub(crate) fn of(tree: &Tree<'_>, index: NodeIndex) -> Option<String> {
    let node = tree.node(index);
    let document = tree.documents.get(node.document as usize)?;
    if node.kind == Kind::Document {
        return Some(
            tree.string(node.document, document.captured.document_url)
                .to_owned(),
        );
    }
    let written = match tree.roles[index as usize] {
        Role::Image => tree
            .current_source(index)
            .or_else(|| tree.attribute(index, Attribute::Src))?,
        Role::Iframe | Role::EmbeddedObject => tree.attribute(index, Attribute::Src)?,
        Role::PluginObject => tree.attribute(index, Attribute::Data)?,
        _ => tree
            .attribute(index, Attribute::Href)
            .or_else(|| tree.attribute(index, Attribute::XlinkHref))?,
    };
    let base = Url::parse(tree.string(node.document, document.captured.base_url)).ok();
    resolve(
        written,
        base.as_ref(),
        tree.string(node.document, document.captured.encoding_name),
    )
}

/// Resolves as the URL standard says: against the base of the document, the query in the document's encoding.
fn resolve(written: &str, base: Option<&Url>, encoding: &str) -> Option<String> {
    let encoding = encoding_rs::Encoding::for_label(encoding.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let encode = query_encoder(|text| Cow::Owned(encoding.output_encoding().encode(text).0.into_owned()));
    let options = Url::options().base_url(base);
    let options = if encoding.output_encoding() == encoding_rs::UTF_8 {
        options
    } else {
        options.encoding_override(Some(&encode))
    };
    options.parse(written).ok().map(String::from)
}

/// Tells the compiler which lifetimes the closure has.
fn query_encoder<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_odd_addresses_resolve_as_in_a_browser() {
        let base = Url::parse("http://127.0.0.1/deep/dir/page.html?q=1#top").unwrap();
        let resolved = |written, encoding| resolve(written, Some(&base), encoding).unwrap();
        assert_eq!(
            resolved("../up/line 7.html", "UTF-8"),
            "http://127.0.0.1/deep/up/line%207.html"
        );
        assert_eq!(
            resolved("?v=✓#p2", "UTF-8"),
            "http://127.0.0.1/deep/dir/page.html?v=%E2%9C%93#p2"
        );
        assert_eq!(
            resolved("?v=é", "windows-1252"),
            "http://127.0.0.1/deep/dir/page.html?v=%E9"
        );
        assert_eq!(
            resolved(" mailto:desk@example.test ", "UTF-8"),
            "mailto:desk@example.test"
        );
        assert_eq!(resolve("relative", None, "UTF-8"), None);
    }
}
