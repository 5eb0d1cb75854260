//! Elements that are landmarks only in the right place: `header`, `footer`, `aside`, `section`, `form`.

use crate::attribute::{Attribute, Tag};
use crate::name;
use crate::role::Role;
use crate::tree::{Kind, NodeIndex, Tree};

pub(super) fn role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    match tree.node(index).tag {
        Tag::Header if is_inside_section(tree, index) => Role::SectionHeader,
        Tag::Header => Role::Banner,
        Tag::Footer if is_inside_section(tree, index) => Role::SectionFooter,
        Tag::Footer => Role::ContentInfo,
        Tag::Aside if is_inside_section_but_main(tree, index) && !name::has_author_name(tree, index) => {
            Role::Generic
        }
        Tag::Aside => Role::Complementary,
        Tag::Section if name::has_author_name(tree, index) => Role::Region,
        Tag::Form => Role::Form,
        _ => Role::Generic,
    }
}

/// HTML-AAM: a header or footer inside sectioning content or `main` belongs to that section, not to the page.
fn is_inside_section(tree: &Tree<'_>, index: NodeIndex) -> bool {
    is_inside(tree, index, |tag| {
        matches!(
            tag,
            Tag::Article | Tag::Aside | Tag::Main | Tag::Nav | Tag::Section
        )
    })
}

fn is_inside_section_but_main(tree: &Tree<'_>, index: NodeIndex) -> bool {
    is_inside(tree, index, |tag| {
        matches!(tag, Tag::Article | Tag::Aside | Tag::Nav | Tag::Section)
    })
}

fn is_inside(tree: &Tree<'_>, index: NodeIndex, is_section: impl Fn(Tag) -> bool) -> bool {
    tree.ancestors(index)
        .take_while(|&above| tree.node(above).kind != Kind::Document)
        .any(|above| {
            if is_section(tree.node(above).tag) {
                return true;
            }
            tree.attribute(above, Attribute::Role).is_some_and(|role| {
                matches!(
                    role.trim(),
                    "article" | "complementary" | "main" | "navigation" | "region"
                )
            })
        })
}
