//! Names: what an element is called, by Accessible Name and Description Computation 1.2 ("accname") and the
//! native rules of HTML-AAM.
//!
//! Start with [`Names::of`]. Letters in comments (2B, 2C, …) are the steps of accname.

use std::collections::HashMap;

use crate::attribute::{Attribute, Tag};
use crate::role::{Role, role_of};
use crate::state::value_of;
use crate::text::{Line, clean, is_blank};
use crate::tree::{Display, Kind, NONE, Namespace, NodeIndex, Tree, flag};

/// How often the way to a name may jump elsewhere: to a label, a caption, the target of a reference. References
/// are followed once (accname 2B); the rest of the bound keeps circles of labels from being followed for ever.
const JUMPS: u8 = 2;

/// Characters of content that a name is made of at the most: beyond it nobody reads on.
const LONGEST_CONTENT: usize = 20_000;

/// Whether an author named the element with an attribute: decides what `section`, `form`, `img` are.
pub(crate) fn has_author_name(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let is_filled = |attribute| {
        tree.attribute(index, attribute)
            .is_some_and(|value| !is_blank(value))
    };
    is_filled(Attribute::AriaLabel)
        || is_filled(Attribute::Title)
        || labelled_by(tree, index).is_some_and(|list| !tree.by_ids(index, list).is_empty())
}

fn labelled_by<'a>(tree: &Tree<'a>, index: NodeIndex) -> Option<&'a str> {
    tree.attribute(index, Attribute::AriaLabelledBy)
        .or_else(|| tree.attribute(index, Attribute::AriaLabeledBy))
}

/// The title of the symbol that an SVG `use` shows: its copy stands in a tree that captures do not hold.
pub(crate) fn symbol_title<'a>(tree: &Tree<'a>, index: NodeIndex) -> Option<NodeIndex> {
    let address = tree
        .attribute(index, Attribute::Href)
        .or_else(|| tree.attribute(index, Attribute::XlinkHref))?;
    let symbol = tree.by_id(index, address.strip_prefix('#')?)?;
    tree.children(symbol)
        .find(|&child| tree.node(child).tag == Tag::Title)
}

/// Computes names. Made once a page, since labels are found by one walk.
#[derive(Debug)]
pub(crate) struct Names<'t, 'a> {
    tree: &'t Tree<'a>,
    labels: HashMap<NodeIndex, Vec<NodeIndex>>,
}

impl<'t, 'a> Names<'t, 'a> {
    pub(crate) fn new(tree: &'t Tree<'a>, order: &[NodeIndex]) -> Self {
        let mut labels: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
        for &label in order
            .iter()
            .filter(|&&index| tree.node(index).is_html(Tag::Label))
        {
            if let Some(control) = labelled_control(tree, label) {
                labels.entry(control).or_default().push(label);
            }
        }
        Self { tree, labels }
    }

    /// The labels of a control, in page order.
    pub(crate) fn labels_of(&self, control: NodeIndex) -> &[NodeIndex] {
        self.labels.get(&control).map_or(&[], Vec::as_slice)
    }

    /// The control that a label stands for.
    pub(crate) fn control_of(&self, label: NodeIndex) -> Option<NodeIndex> {
        labelled_control(self.tree, label)
    }

    /// The name of an element with that role; empty when it has none.
    pub(crate) fn of(&self, index: NodeIndex, role: Role) -> String {
        let tree = self.tree;
        if tree.node(index).kind == Kind::Document {
            let document = &tree.documents[tree.node(index).document as usize];
            return clean(tree.string(tree.node(index).document, document.captured.title));
        }
        if role.prohibits_name() {
            return String::new();
        }
        if let Some(name) = self.author_name(index, JUMPS) {
            return name;
        }
        if let Some(name) = self.native_name(index, role, JUMPS) {
            return name;
        }
        if role.takes_name_from_content() {
            let name = self.own_content(index);
            if !name.is_empty() {
                return name;
            }
        }
        let is_silent = tree.node(index).is_html(Tag::Img) && tree.has_attribute(index, Attribute::Alt);
        if is_silent || matches!(role, Role::ListItem | Role::Term) {
            return String::new();
        }
        tree.attribute(index, Attribute::Title)
            .map(clean)
            .unwrap_or_default()
    }

    /// Whether a name is the text inside the element.
    pub(crate) fn is_content(&self, index: NodeIndex, role: Role, name: &str) -> bool {
        role.takes_name_from_content() && self.own_content(index) == name
    }

    /// The text of an option is drawn by the browser itself, so that its text nodes have no boxes.
    fn own_content(&self, index: NodeIndex) -> String {
        let is_option = self.tree.node(index).is_html(Tag::Option);
        self.content(index, if is_option { Reach::All } else { Reach::Shown })
    }

    /// 2B and 2D: `aria-labelledby`, then `aria-label`.
    fn author_name(&self, index: NodeIndex, jumps: u8) -> Option<String> {
        if !self.tree.node(index).is(flag::ARIA) {
            return None;
        }
        let list = labelled_by(self.tree, index).filter(|_| jumps > 0);
        let referred = list.map(|list| self.referred(index, list));
        if let Some(name) = referred.filter(|name| !name.is_empty()) {
            return Some(name);
        }
        let label = self.tree.attribute(index, Attribute::AriaLabel).map(clean);
        label.filter(|name| !name.is_empty())
    }

    /// 2B: the texts of the elements referred to, hidden or not.
    fn referred(&self, index: NodeIndex, list: &str) -> String {
        let mut line = Line::default();
        for target in self.tree.by_ids(index, list) {
            line.space();
            let text = self.text_alternative(target, index, 0);
            line.push(text.get(..LONGEST_CONTENT).unwrap_or(&text));
        }
        line.into_string()
    }

    /// What a reference, a label or a caption adds to somebody else's name.
    fn text_alternative(&self, index: NodeIndex, named: NodeIndex, jumps: u8) -> String {
        let tree = self.tree;
        if tree.node(index).is(flag::ARIA)
            && let Some(label) = tree
                .attribute(index, Attribute::AriaLabel)
                .map(clean)
                .filter(|label| !label.is_empty())
        {
            return label;
        }
        let role = role_of(tree, index);
        if index != named {
            if let Some(value) = self.embedded_value(index, role, jumps) {
                return value;
            }
            if let Some(name) = self.native_name(index, role, jumps) {
                return name;
            }
        }
        let reach = if tree.node(index).is(flag::SHOWN | flag::PASSAGE) {
            Reach::Shown
        } else {
            Reach::All
        };
        let content = self.content_without(index, reach, NONE, jumps);
        if content.is_empty() {
            tree.attribute(index, Attribute::Title)
                .map(clean)
                .unwrap_or_default()
        } else {
            content
        }
    }

    /// 2E: the value of a control inside somebody else's label.
    fn embedded_value(&self, index: NodeIndex, role: Role, jumps: u8) -> Option<String> {
        match role {
            Role::Meter
            | Role::ProgressBar
            | Role::SearchBox
            | Role::Slider
            | Role::SpinButton
            | Role::TextBox => {
                let value = self.tree.attribute(index, Attribute::AriaValueText).map(clean);
                value
                    .or_else(|| self.tree.attribute(index, Attribute::AriaValueNow).map(clean))
                    .or_else(|| {
                        let is_native = matches!(self.tree.node(index).tag, Tag::Input | Tag::TextArea);
                        is_native.then(|| value_of(self.tree, index, role))
                    })
            }
            Role::ComboBox | Role::ListBox if self.tree.node(index).is_html(Tag::Select) => {
                Some(self.selected_text(index, jumps))
            }
            _ => None,
        }
    }

    /// 2D, native: HTML-AAM section 4.1, SVG-AAM `title`.
    fn native_name(&self, index: NodeIndex, role: Role, jumps: u8) -> Option<String> {
        let tree = self.tree;
        let node = tree.node(index);
        if node.namespace == Namespace::Svg {
            let title = tree
                .children(index)
                .find(|&child| tree.node(child).tag == Tag::Title);
            return title
                .map(|title| self.content_without(title, Reach::All, NONE, 0))
                .filter(|title| !title.is_empty());
        }
        if node.namespace != Namespace::Html {
            return None;
        }
        let attribute = |attribute| {
            tree.attribute(index, attribute)
                .map(clean)
                .filter(|text| !text.is_empty())
        };
        let is_labelable = matches!(
            node.tag,
            Tag::Button | Tag::Input | Tag::Meter | Tag::Output | Tag::Progress | Tag::Select | Tag::TextArea
        );
        if is_labelable && let Some(label) = self.label_name(index, jumps) {
            return Some(label);
        }
        match node.tag {
            Tag::Input => self.input_name(index),
            Tag::TextArea => attribute(Attribute::Title)
                .or(attribute(Attribute::Placeholder))
                .or(attribute(Attribute::AriaPlaceholder)),
            Tag::Img | Tag::Area => attribute(Attribute::Alt).or_else(|| {
                let is_silent = node.tag == Tag::Img && tree.has_attribute(index, Attribute::Alt);
                if is_silent {
                    None
                } else {
                    attribute(Attribute::Title)
                }
            }),
            Tag::FieldSet => self.caption_name(index, Tag::Legend, jumps),
            Tag::Figure if role != Role::Figure => self.caption_name(index, Tag::FigCaption, jumps),
            Tag::Table => self.caption_name(index, Tag::Caption, jumps),
            Tag::OptGroup => attribute(Attribute::Label),
            Tag::Option => attribute(Attribute::Label),
            _ => None,
        }
    }

    fn label_name(&self, control: NodeIndex, jumps: u8) -> Option<String> {
        let jumps = jumps.checked_sub(1)?;
        let mut line = Line::default();
        for &label in self.labels.get(&control)? {
            line.space();
            line.push(&self.label_text(label, control, jumps));
        }
        Some(line.into_string()).filter(|name| !name.is_empty())
    }

    /// A label's text without the control that it labels.
    fn label_text(&self, label: NodeIndex, control: NodeIndex, jumps: u8) -> String {
        if let Some(name) = self.author_name(label, jumps) {
            return name;
        }
        let reach = if self.tree.node(label).is(flag::SHOWN | flag::PASSAGE) {
            Reach::Shown
        } else {
            Reach::All
        };
        self.content_without(label, reach, control, jumps)
    }

    fn input_name(&self, index: NodeIndex) -> Option<String> {
        let tree = self.tree;
        let attribute = |attribute| {
            tree.attribute(index, attribute)
                .map(clean)
                .filter(|text| !text.is_empty())
        };
        let kind = tree
            .attribute(index, Attribute::Type)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let or_default = |default: &str| {
            let is_empty = tree.has_attribute(index, Attribute::Value);
            let default = Some(default.to_owned()).filter(|_| !is_empty);
            attribute(Attribute::Value)
                .or_else(|| attribute(Attribute::Title))
                .or(default)
        };
        match kind.as_str() {
            "submit" => or_default("Submit"),
            "reset" => or_default("Reset"),
            "button" => attribute(Attribute::Value).or_else(|| attribute(Attribute::Title)),
            "image" => attribute(Attribute::Alt)
                .or_else(|| attribute(Attribute::Value))
                .or_else(|| attribute(Attribute::Title))
                .or_else(|| Some("Submit".to_owned())),
            "checkbox" | "radio" | "range" | "color" | "file" => attribute(Attribute::Title),
            _ if !self.labels_of(index).is_empty() => None,
            _ => attribute(Attribute::Title)
                .or_else(|| attribute(Attribute::Placeholder))
                .or_else(|| attribute(Attribute::AriaPlaceholder)),
        }
    }

    fn caption_name(&self, index: NodeIndex, tag: Tag, jumps: u8) -> Option<String> {
        let jumps = jumps.checked_sub(1)?;
        let child = self
            .tree
            .children(index)
            .find(|&child| self.tree.node(child).is_html(tag))?;
        if !self.tree.node(child).is(flag::SHOWN | flag::PASSAGE) {
            return None;
        }
        Some(self.text_alternative(child, index, jumps)).filter(|name| !name.is_empty())
    }

    /// 2F: the text of everything inside.
    pub(crate) fn content(&self, index: NodeIndex, reach: Reach) -> String {
        self.content_without(index, reach, NONE, JUMPS)
    }

    fn content_without(&self, within: NodeIndex, reach: Reach, left_out: NodeIndex, jumps: u8) -> String {
        let tree = self.tree;
        let mut line = Line::default();
        let mut open: Vec<(NodeIndex, usize)> = Vec::new();
        let mut current = tree.next_in(within, within, false);
        while current != NONE && line.len() < LONGEST_CONTENT {
            while let Some(&(above, length)) = open.last()
                && tree.node(current).parent != above
            {
                open.pop();
                self.leave(above, length, &mut line);
            }
            let skip = current == left_out || self.enter(current, reach, within, jumps, &mut line);
            if !skip && tree.node(current).first_child != NONE {
                open.push((current, line.len()));
            } else if !skip {
                self.leave(current, line.len(), &mut line);
            }
            current = tree.next_in(within, current, skip);
        }
        while let Some((above, length)) = open.pop() {
            self.leave(above, length, &mut line);
        }
        line.into_string()
    }

    fn selected_text(&self, select: NodeIndex, jumps: u8) -> String {
        let tree = self.tree;
        let mut line = Line::default();
        let Some(jumps) = jumps.checked_sub(1) else {
            return String::new();
        };
        let mut current = tree.next_in(select, select, false);
        while current != NONE {
            let node = tree.node(current);
            if node.is_html(Tag::Option) && node.is(flag::SELECTED) {
                line.space();
                let label = tree
                    .attribute(current, Attribute::Label)
                    .map(clean)
                    .filter(|label| !label.is_empty());
                line.push(&label.unwrap_or_else(|| self.content_without(current, Reach::All, NONE, jumps)));
            }
            current = tree.next_in(select, current, node.is_html(Tag::Option));
        }
        line.into_string()
    }

    /// Adds what stands at the beginning of a node; says whether that is all that it adds.
    fn enter(&self, index: NodeIndex, reach: Reach, within: NodeIndex, jumps: u8, line: &mut Line) -> bool {
        let tree = self.tree;
        let node = tree.node(index);
        match node.kind {
            Kind::Document | Kind::Other => return true,
            Kind::Text => {
                if reach == Reach::All || node.is(flag::SHOWN) {
                    line.push(&tree.text(index));
                }
                return true;
            }
            Kind::Pseudo => {
                if node.is(flag::SHOWN) && !is_marker(tree, index) {
                    self.separate(index, line);
                    line.push(&tree.text(index));
                }
                return true;
            }
            Kind::Element => {}
        }
        if self.is_hidden(index, reach, within) {
            return true;
        }
        self.separate(index, line);
        match node.tag {
            Tag::Br => line.space(),
            Tag::Use => {
                if let Some(title) = symbol_title(tree, index) {
                    line.push(&self.content_without(title, Reach::All, NONE, 0));
                }
                return true;
            }
            Tag::Script | Tag::Style | Tag::NoScript | Tag::Template | Tag::IFrame | Tag::Frame => {
                return true;
            }
            _ => {}
        }
        let role = role_of(tree, index);
        let alternative = self
            .author_name(index, jumps)
            .filter(|_| !matches!(role, Role::None))
            .or_else(|| self.embedded_value(index, role, jumps))
            .or_else(|| {
                self.native_name(
                    index,
                    role,
                    if self.is_labelled_within(index, within) {
                        0
                    } else {
                        jumps
                    },
                )
            });
        if let Some(text) = alternative {
            line.space();
            line.push(&text);
            line.space();
            return true;
        }
        role.keeps_text_to_itself()
    }

    /// Whether a label of that control stands in the same content, and so speaks for itself.
    fn is_labelled_within(&self, control: NodeIndex, within: NodeIndex) -> bool {
        let labels = self.labels_of(control);
        labels
            .iter()
            .any(|&label| label == within || self.tree.ancestors(label).any(|above| above == within))
    }

    fn leave(&self, index: NodeIndex, length: usize, line: &mut Line) {
        let is_image = self.tree.roles.get(index as usize) == Some(&Role::Image);
        if line.len() == length
            && self.tree.node(index).kind == Kind::Element
            && !is_image
            && let Some(title) = self.tree.attribute(index, Attribute::Title)
        {
            line.space();
            line.push(title);
            line.space();
        }
        self.separate(index, line);
    }

    /// Boxes do not touch their neighbours, words inside a line do.
    fn separate(&self, index: NodeIndex, line: &mut Line) {
        let display = self.tree.node(index).display;
        if display == Display::InlineBox || !display.is_inline() {
            line.space();
        }
    }

    fn is_hidden(&self, index: NodeIndex, reach: Reach, within: NodeIndex) -> bool {
        let node = self.tree.node(index);
        let starts_hidden = node.is(flag::ARIA_HIDDEN) && !self.tree.node(within).is(flag::ARIA_HIDDEN);
        match reach {
            Reach::Shown => starts_hidden || !node.is(flag::SHOWN | flag::PASSAGE),
            Reach::All => starts_hidden,
        }
    }
}

/// Which descendants take part in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those that are shown.
    Shown,
    /// All of them: a hidden element was referred to (accname 2A).
    All,
}

/// `::marker` is the bullet or number of a list item, which is no text of the page.
pub(crate) fn is_marker(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    tree.string(node.document, node.name) == "::marker"
}

/// HTML, 4.10.4: the control named by `for`, else the first one inside.
fn labelled_control(tree: &Tree<'_>, label: NodeIndex) -> Option<NodeIndex> {
    if let Some(id) = tree.attribute(label, Attribute::For) {
        return tree
            .by_id(label, id)
            .filter(|&control| is_labelable(tree, control));
    }
    let mut current = tree.next_in(label, label, false);
    while current != NONE {
        if is_labelable(tree, current) {
            return Some(current);
        }
        current = tree.next_in(label, current, false);
    }
    None
}

fn is_labelable(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    if node.namespace != Namespace::Html {
        return false;
    }
    match node.tag {
        Tag::Button | Tag::Meter | Tag::Output | Tag::Progress | Tag::Select | Tag::TextArea => true,
        Tag::Input => !tree
            .attribute(index, Attribute::Type)
            .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")),
        _ => false,
    }
}
