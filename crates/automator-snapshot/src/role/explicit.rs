//! The `role` attribute: WAI-ARIA 1.2, section 5.

use super::{Role, native};
use crate::attribute::{Attribute, Tag};
use crate::name;
use crate::tree::{NodeIndex, Tree, flag};

/// The first role of the `role` attribute that is known and may be used here.
pub(super) fn role(tree: &Tree<'_>, index: NodeIndex) -> Option<Role> {
    let list = tree.attribute(index, Attribute::Role)?;
    for word in list.split_ascii_whitespace() {
        let Some(role) = role_from_word(&word.to_ascii_lowercase()) else {
            continue;
        };
        match role {
            Role::None => {
                // WAI-ARIA 1.2, 5.3.3: a focusable or globally marked element keeps its native role.
                return (!has_global_mark(tree, index) && !is_focusable(tree, index)).then_some(Role::None);
            }
            Role::Region | Role::Form if !name::has_author_name(tree, index) => continue,
            Role::Button => return Some(native::button_role(tree, index)),
            _ => return Some(role),
        }
    }
    None
}

#[expect(clippy::too_many_lines, reason = "a table of one line a word")]
pub(super) fn role_from_word(word: &str) -> Option<Role> {
    Some(match word {
        "none" | "presentation" => Role::None,
        "alert" => Role::Alert,
        "alertdialog" => Role::AlertDialog,
        "application" => Role::Application,
        "article" => Role::Article,
        "banner" => Role::Banner,
        "blockquote" => Role::Blockquote,
        "button" => Role::Button,
        "caption" => Role::Caption,
        "cell" => Role::Cell,
        "checkbox" => Role::Checkbox,
        "code" => Role::Code,
        "columnheader" => Role::ColumnHeader,
        "combobox" => Role::ComboBox,
        "comment" => Role::Comment,
        "complementary" => Role::Complementary,
        "contentinfo" => Role::ContentInfo,
        "definition" => Role::Definition,
        "deletion" => Role::Deletion,
        "dialog" => Role::Dialog,
        "directory" => Role::List,
        "document" => Role::Document,
        "emphasis" => Role::Emphasis,
        "feed" => Role::Feed,
        "figure" => Role::Figure,
        "form" => Role::Form,
        "generic" => Role::Generic,
        "graphics-document" => Role::GraphicsDocument,
        "graphics-object" => Role::GraphicsObject,
        "graphics-symbol" => Role::GraphicsSymbol,
        "grid" => Role::Grid,
        "gridcell" => Role::GridCell,
        "group" => Role::Group,
        "heading" => Role::Heading,
        "image" | "img" => Role::Image,
        "insertion" => Role::Insertion,
        "link" => Role::Link,
        "list" => Role::List,
        "listbox" => Role::ListBox,
        "listitem" => Role::ListItem,
        "log" => Role::Log,
        "main" => Role::Main,
        "mark" => Role::Mark,
        "marquee" => Role::Marquee,
        "math" => Role::Math,
        "menu" => Role::Menu,
        "menubar" => Role::MenuBar,
        "menuitem" => Role::MenuItem,
        "menuitemcheckbox" => Role::MenuItemCheckbox,
        "menuitemradio" => Role::MenuItemRadio,
        "meter" => Role::Meter,
        "navigation" => Role::Navigation,
        "note" => Role::Note,
        "option" => Role::Option,
        "paragraph" => Role::Paragraph,
        "progressbar" => Role::ProgressBar,
        "radio" => Role::Radio,
        "radiogroup" => Role::RadioGroup,
        "region" => Role::Region,
        "row" => Role::Row,
        "rowgroup" => Role::RowGroup,
        "rowheader" => Role::RowHeader,
        "scrollbar" => Role::ScrollBar,
        "search" => Role::Search,
        "searchbox" => Role::SearchBox,
        "sectionfooter" => Role::SectionFooter,
        "sectionheader" => Role::SectionHeader,
        "separator" => Role::Separator,
        "slider" => Role::Slider,
        "spinbutton" => Role::SpinButton,
        "status" => Role::Status,
        "strong" => Role::Strong,
        "subscript" => Role::Subscript,
        "suggestion" => Role::Suggestion,
        "superscript" => Role::Superscript,
        "switch" => Role::Switch,
        "tab" => Role::Tab,
        "table" => Role::Table,
        "tablist" => Role::TabList,
        "tabpanel" => Role::TabPanel,
        "term" => Role::Term,
        "textbox" => Role::TextBox,
        "time" => Role::Time,
        "timer" => Role::Timer,
        "toolbar" => Role::Toolbar,
        "tooltip" => Role::Tooltip,
        "tree" => Role::Tree,
        "treegrid" => Role::TreeGrid,
        "treeitem" => Role::TreeItem,
        _ => return None,
    })
}

fn has_global_mark(tree: &Tree<'_>, index: NodeIndex) -> bool {
    tree.known_attributes(index).any(|attribute| {
        matches!(
            attribute,
            Attribute::AriaAtomic
                | Attribute::AriaBusy
                | Attribute::AriaControls
                | Attribute::AriaCurrent
                | Attribute::AriaDescribedBy
                | Attribute::AriaDetails
                | Attribute::AriaDropEffect
                | Attribute::AriaFlowTo
                | Attribute::AriaGrabbed
                | Attribute::AriaKeyShortcuts
                | Attribute::AriaLabel
                | Attribute::AriaLabelledBy
                | Attribute::AriaLive
                | Attribute::AriaOwns
                | Attribute::AriaRelevant
                | Attribute::AriaRoleDescription
        )
    })
}

/// HTML, 6.6.3: elements that can get the focus.
fn is_focusable(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    if node.is(flag::DISABLED) || !node.is(flag::LAYOUT) {
        return false;
    }
    if tree
        .attribute(index, Attribute::TabIndex)
        .is_some_and(|value| value.trim().parse::<i32>().is_ok())
    {
        return true;
    }
    match node.tag {
        Tag::A | Tag::Area => tree.has_attribute(index, Attribute::Href),
        Tag::Button | Tag::Select | Tag::TextArea | Tag::IFrame => true,
        Tag::Input => tree
            .attribute(index, Attribute::Type)
            .is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden")),
        Tag::Summary => true,
        Tag::Audio | Tag::Video => tree.has_attribute(index, Attribute::Controls),
        _ => node.is(flag::EDITABLE_ROOT),
    }
}
