//! What says nothing, or says again what stands beside it, is left out of finished items.

use super::build::Builder;
use super::{Form, ItemIndex};
use crate::role::Role;
use crate::usable::is_clickable;

impl Builder<'_, '_, '_> {
    /// In a description list what follows a term stands one level below it.
    pub(super) fn hang_details(&mut self, children: Vec<ItemIndex>) -> Vec<ItemIndex> {
        let mut out: Vec<ItemIndex> = Vec::new();
        let mut term = None;
        for child in children {
            let item = self.outline.item(child);
            let is_term = item.form == Form::Text && self.tree.roles[item.node as usize] == Role::Term;
            match term {
                _ if is_term => {
                    term = Some(child);
                    out.push(child);
                }
                Some(term) => self.outline.items[term as usize].children.push(child),
                None => out.push(child),
            }
        }
        out
    }

    /// An unnamed list says nothing that its bullets do not say: they take its place, unless another list stands
    /// right before it and the two would run together.
    pub(super) fn splice_lists(&self, children: Vec<ItemIndex>) -> Vec<ItemIndex> {
        if !children.iter().any(|&child| self.is_bare_list(child)) {
            return children;
        }
        let mut spliced: Vec<ItemIndex> = Vec::with_capacity(children.len());
        let mut follows_list = false;
        for child in children {
            let is_spliced = self.is_bare_list(child) && !follows_list;
            if is_spliced {
                spliced.extend_from_slice(&self.outline.item(child).children);
            } else {
                spliced.push(child);
            }
            follows_list = is_spliced;
        }
        spliced
    }

    /// A list item that is one line with an id needs no bullet to stand apart.
    pub(super) fn drop_bullets(&self, children: &mut [ItemIndex]) {
        for child in children {
            let item = self.outline.item(*child);
            if item.form == Form::Bullet
                && let [only] = item.children[..]
                && self.outline.item(only).carries_id
                && self.outline.item(only).form == Form::Element
                && self.outline.item(only).children.is_empty()
            {
                *child = only;
            }
        }
    }

    /// An image whose name stands right beside it, as caption, heading or link, says nothing more.
    pub(super) fn drop_repeated_images(&self, mut children: Vec<ItemIndex>) -> Vec<ItemIndex> {
        let repeats = |image: ItemIndex, beside: Option<&ItemIndex>| {
            let name = self.outline.told(self.outline.item(image).name);
            beside.is_some_and(|&beside| {
                contains_words(self.outline.told(self.outline.item(beside).name), name)
            })
        };
        let is_plain_image = |index: ItemIndex| {
            let item = self.outline.item(index);
            let is_image =
                item.form == Form::Element && item.word == Role::Image.word() && item.children.is_empty();
            is_image && !is_clickable(self.tree, item.node)
        };
        let mut position = 0;
        while position < children.len() {
            let before = position.checked_sub(1).and_then(|before| children.get(before));
            let is_repeated = is_plain_image(children[position])
                && (repeats(children[position], before)
                    || repeats(children[position], children.get(position + 1)));
            if is_repeated {
                children.remove(position);
            } else {
                position += 1;
            }
        }
        children
    }

    fn is_bare_list(&self, index: ItemIndex) -> bool {
        let item = self.outline.item(index);
        item.form == Form::Element
            && !item.carries_id
            && item.name.is_empty()
            && item.word == Role::List.word()
    }
}

/// Marks that only stand between other things: alone on a line they say nothing.
pub(super) fn is_separator(character: char) -> bool {
    matches!(
        character,
        '|' | '·' | '•' | ',' | '.' | ';' | ':' | '/' | '\\' | '-' | '–' | '—' | '(' | ')' | '‹' | '›' | ' '
    )
}

/// Whether `part` stands in `whole` as whole words.
pub(super) fn contains_words(whole: &str, part: &str) -> bool {
    if part.is_empty() {
        return true;
    }
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    whole.match_indices(part).any(|(at, _)| {
        let before = whole[..at].chars().next_back();
        let after = whole[at + part.len()..].chars().next();
        let starts = is_word(part.chars().next()) && is_word(before);
        let ends = is_word(part.chars().next_back()) && is_word(after);
        !starts && !ends
    })
}
