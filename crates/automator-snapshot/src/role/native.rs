//! The role that the element itself has: HTML-AAM, SVG-AAM, MathML-AAM.

use super::{Role, explicit, landmark, table};
use crate::attribute::{Attribute, Tag};
use crate::name;
use crate::text::is_blank;
use crate::tree::{Kind, NONE, Namespace, NodeIndex, Tree, flag};

pub(super) fn role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    match tree.node(index).namespace {
        Namespace::Svg => svg_role(tree, index),
        Namespace::MathMl => math_role(&tree.tag_name(index)),
        Namespace::Html => html_role(tree, index),
    }
}

/// HTML-AAM 1.0, section 3.5, element by element.
fn html_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let tag = tree.node(index).tag;
    match tag {
        _ if tree.node(index).is(flag::PICTURE) => Role::Image,
        Tag::A | Tag::Area if tree.has_attribute(index, Attribute::Href) => Role::Link,
        Tag::Abbr | Tag::Acronym => Role::Abbr,
        Tag::Address | Tag::FieldSet | Tag::HGroup | Tag::OptGroup => Role::Group,
        Tag::Article => Role::Article,
        Tag::Aside | Tag::Footer | Tag::Header | Tag::Section | Tag::Form => landmark::role(tree, index),
        Tag::Audio => Role::Audio,
        Tag::Blockquote => Role::Blockquote,
        Tag::Button => button_role(tree, index),
        Tag::Canvas => Role::Canvas,
        Tag::Code => Role::Code,
        Tag::DataList => Role::ListBox,
        Tag::Dd => Role::Definition,
        Tag::Del | Tag::S => Role::Deletion,
        Tag::Details => Role::Group,
        Tag::Dfn | Tag::Dt => Role::Term,
        Tag::Dialog => Role::Dialog,
        Tag::Dir | Tag::Menu | Tag::Ol | Tag::Ul => Role::List,
        Tag::Dl => Role::DescriptionList,
        Tag::Em => Role::Emphasis,
        Tag::Embed => Role::EmbeddedObject,
        Tag::FigCaption => Role::Figcaption,
        Tag::Figure => Role::Figure,
        Tag::Frame | Tag::IFrame => Role::Iframe,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Role::Heading,
        Tag::Hr => Role::Separator,
        Tag::Img => image_role(tree, index),
        Tag::Input => input_role(tree, index),
        Tag::Ins => Role::Insertion,
        Tag::Label => Role::LabelText,
        Tag::Legend => Role::Legend,
        Tag::Li => list_item_role(tree, index),
        Tag::Main => Role::Main,
        Tag::Mark => Role::Mark,
        Tag::Marquee => Role::Marquee,
        Tag::Meter => Role::Meter,
        Tag::Nav => Role::Navigation,
        Tag::Object => Role::PluginObject,
        Tag::Option => Role::Option,
        Tag::Output => Role::Status,
        Tag::P => Role::Paragraph,
        Tag::Progress => Role::ProgressBar,
        Tag::Rt => Role::RubyAnnotation,
        Tag::Ruby => Role::Ruby,
        Tag::Search => Role::Search,
        Tag::Select => select_role(tree, index),
        Tag::Strong => Role::Strong,
        Tag::Sub => Role::Subscript,
        Tag::Summary => summary_role(tree, index),
        Tag::Sup => Role::Superscript,
        Tag::Table | Tag::Tr | Tag::Td | Tag::Th | Tag::THead | Tag::TBody | Tag::TFoot | Tag::Caption => {
            table::role(tree, index)
        }
        Tag::TextArea => Role::TextBox,
        Tag::Time => Role::Time,
        Tag::Video => Role::Video,
        _ => Role::Generic,
    }
}

/// MathML-AAM 1.0.
fn math_role(name: &str) -> Role {
    match name {
        "math" => Role::MathMl,
        "mfrac" => Role::MathMlFraction,
        "mi" => Role::MathMlIdentifier,
        "mmultiscripts" => Role::MathMlMultiscripts,
        "mn" => Role::MathMlNumber,
        "mo" => Role::MathMlOperator,
        "mover" => Role::MathMlOver,
        "mprescripts" => Role::MathMlPrescriptDelimiter,
        "mroot" => Role::MathMlRoot,
        "mrow" => Role::MathMlRow,
        "ms" => Role::MathMlStringLiteral,
        "msqrt" => Role::MathMlSquareRoot,
        "msub" => Role::MathMlSub,
        "msubsup" => Role::MathMlSubSup,
        "msup" => Role::MathMlSup,
        "mtable" => Role::MathMlTable,
        "mtd" => Role::MathMlTableCell,
        "mtext" => Role::MathMlText,
        "mtr" => Role::MathMlTableRow,
        "munder" => Role::MathMlUnder,
        "munderover" => Role::MathMlUnderOver,
        "none" => Role::MathMlNoneScript,
        _ => Role::Generic,
    }
}

/// SVG-AAM 1.0: shapes and groups speak only when they are named.
fn svg_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let node = tree.node(index);
    if node.tag == Tag::A
        && tree
            .attribute(index, Attribute::Href)
            .or(tree.attribute(index, Attribute::XlinkHref))
            .is_some()
    {
        return Role::Link;
    }
    match node.tag {
        Tag::Svg if svg_speaks(tree, index) => Role::SvgRoot,
        Tag::Svg => Role::Image,
        Tag::Use if name::symbol_title(tree, index).is_some() => Role::GraphicsObject,
        _ if node.is(flag::ARIA) => Role::GraphicsObject,
        _ => Role::Generic,
    }
}

/// Whether a drawing holds text, links or named parts: otherwise it is one picture.
fn svg_speaks(tree: &Tree<'_>, svg: NodeIndex) -> bool {
    let mut current = tree.next_in(svg, svg, false);
    while current != NONE {
        let node = tree.node(current);
        let is_title = node.tag == Tag::Title && node.parent == svg;
        let speaks = match node.kind {
            Kind::Text => node.is(flag::SHOWN) && !is_blank(&tree.text(current)),
            Kind::Element => match node.tag {
                Tag::A => true,
                Tag::Use => node.is(flag::ARIA) || name::symbol_title(tree, current).is_some(),
                _ => node.is(flag::ARIA),
            },
            _ => false,
        };
        if speaks {
            return true;
        }
        current = tree.next_in(svg, current, is_title);
    }
    false
}

pub(super) fn button_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    if tree.has_attribute(index, Attribute::AriaPressed) {
        Role::ToggleButton
    } else {
        Role::Button
    }
}

/// An image with an empty `alt` and no other name is decoration.
fn image_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let is_empty = tree.attribute(index, Attribute::Alt).is_some_and(str::is_empty);
    let is_named = tree.has_attribute(index, Attribute::Title) || name::has_author_name(tree, index);
    if is_empty && !is_named {
        Role::None
    } else {
        Role::Image
    }
}

fn input_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let kind = tree
        .attribute(index, Attribute::Type)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let suggests = tree.has_attribute(index, Attribute::List);
    match kind.as_str() {
        "button" | "image" | "reset" | "submit" => button_role(tree, index),
        "file" => Role::Button,
        "checkbox" if tree.has_attribute(index, Attribute::AriaPressed) => Role::ToggleButton,
        "checkbox" => Role::Checkbox,
        "radio" => Role::Radio,
        "color" => Role::ColorWell,
        "date" => Role::Date,
        "datetime-local" | "month" | "week" => Role::DateTime,
        "time" => Role::InputTime,
        "number" => Role::SpinButton,
        "range" => Role::Slider,
        "hidden" => Role::Generic,
        _ if suggests => Role::ComboBox,
        "search" => Role::SearchBox,
        _ => Role::TextBox,
    }
}

fn select_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let is_multiple = tree.has_attribute(index, Attribute::Multiple);
    let rows = tree
        .attribute(index, Attribute::Size)
        .and_then(|size| size.trim().parse::<u32>().ok());
    if is_multiple || rows.is_some_and(|rows| rows > 1) {
        Role::ListBox
    } else {
        Role::ComboBox
    }
}

fn summary_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let is_first = tree
        .ancestors(index)
        .find(|&above| tree.node(above).tag != Tag::Slot)
        .is_some_and(|details| tree.node(details).is_html(Tag::Details));
    if is_first {
        Role::DisclosureTriangle
    } else {
        Role::Generic
    }
}

/// A list item outside a list is only text.
fn list_item_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let list = tree.ancestors(index).find(|&above| {
        let node = tree.node(above);
        node.kind != Kind::Element || node.tag != Tag::Slot && node.display != crate::tree::Display::None
    });
    let is_undone = list
        .is_some_and(|list| tree.node(list).is(flag::ARIA) && explicit::role(tree, list) == Some(Role::None));
    if is_undone { Role::None } else { Role::ListItem }
}
