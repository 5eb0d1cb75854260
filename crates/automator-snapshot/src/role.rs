//! Roles: which one an element has, by the HTML Accessibility API Mappings (HTML-AAM) and WAI-ARIA 1.2.
//!
//! Words are those of Chromium's accessibility tree, so that people who know its output know ours.
//! Start with [`role_of`].

mod landmark;
mod table;

use crate::attribute::{Attribute, Tag};
use crate::name;
use crate::text::is_blank;
use crate::tree::{Kind, NONE, Namespace, NodeIndex, Tree, flag};

/// Declares the roles with their words.
macro_rules! roles {
    ($($variant:ident = $word:literal,)+) => {
        /// What an element is to people, in Chromium's words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Role { $(#[doc = concat!("Prints as `", $word, "`.")] $variant,)+ }

        impl Role {
            /// The word of Chromium's accessibility tree.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Role::$variant => $word,)+ }
            }
        }
    };
}

roles! {
    RootWebArea = "RootWebArea",
    Iframe = "Iframe",
    Generic = "generic",
    None = "none",
    StaticText = "StaticText",
    LineBreak = "LineBreak",
    Abbr = "Abbr",
    Alert = "alert",
    AlertDialog = "alertdialog",
    Application = "application",
    Article = "article",
    Audio = "Audio",
    Banner = "banner",
    Blockquote = "blockquote",
    Button = "button",
    Canvas = "Canvas",
    Caption = "caption",
    Cell = "cell",
    Checkbox = "checkbox",
    Code = "code",
    ColorWell = "ColorWell",
    ColumnHeader = "columnheader",
    ComboBox = "combobox",
    Comment = "comment",
    Complementary = "complementary",
    ContentInfo = "contentinfo",
    Date = "Date",
    DateTime = "DateTime",
    Definition = "definition",
    Deletion = "deletion",
    DescriptionList = "DescriptionList",
    Details = "Details",
    Dialog = "dialog",
    Directory = "directory",
    DisclosureTriangle = "DisclosureTriangle",
    Document = "document",
    EmbeddedObject = "EmbeddedObject",
    Emphasis = "emphasis",
    Feed = "feed",
    Figcaption = "Figcaption",
    Figure = "figure",
    Form = "form",
    GraphicsDocument = "graphics-document",
    GraphicsObject = "graphics-object",
    GraphicsSymbol = "graphics-symbol",
    Grid = "grid",
    GridCell = "gridcell",
    Group = "group",
    Heading = "heading",
    Image = "image",
    InputTime = "InputTime",
    Insertion = "insertion",
    LabelText = "LabelText",
    LayoutTable = "LayoutTable",
    LayoutTableCell = "LayoutTableCell",
    LayoutTableRow = "LayoutTableRow",
    Legend = "Legend",
    Link = "link",
    List = "list",
    ListBox = "listbox",
    ListItem = "listitem",
    Log = "log",
    Main = "main",
    Mark = "mark",
    Marquee = "marquee",
    Math = "math",
    MathMl = "MathMLMath",
    MathMlFraction = "MathMLFraction",
    MathMlIdentifier = "MathMLIdentifier",
    MathMlMultiscripts = "MathMLMultiscripts",
    MathMlNoneScript = "MathMLNoneScript",
    MathMlNumber = "MathMLNumber",
    MathMlOperator = "MathMLOperator",
    MathMlOver = "MathMLOver",
    MathMlPrescriptDelimiter = "MathMLPrescriptDelimiter",
    MathMlRoot = "MathMLRoot",
    MathMlRow = "MathMLRow",
    MathMlSquareRoot = "MathMLSquareRoot",
    MathMlStringLiteral = "MathMLStringLiteral",
    MathMlSub = "MathMLSub",
    MathMlSubSup = "MathMLSubSup",
    MathMlSup = "MathMLSup",
    MathMlTable = "MathMLTable",
    MathMlTableCell = "MathMLTableCell",
    MathMlTableRow = "MathMLTableRow",
    MathMlText = "MathMLText",
    MathMlUnder = "MathMLUnder",
    MathMlUnderOver = "MathMLUnderOver",
    Menu = "menu",
    MenuBar = "menubar",
    MenuItem = "menuitem",
    MenuItemCheckbox = "menuitemcheckbox",
    MenuItemRadio = "menuitemradio",
    Meter = "meter",
    Navigation = "navigation",
    Note = "note",
    Option = "option",
    Paragraph = "paragraph",
    PluginObject = "PluginObject",
    ProgressBar = "progressbar",
    Radio = "radio",
    RadioGroup = "radiogroup",
    Region = "region",
    Row = "row",
    RowGroup = "rowgroup",
    RowHeader = "rowheader",
    Ruby = "Ruby",
    RubyAnnotation = "RubyAnnotation",
    ScrollBar = "scrollbar",
    Search = "search",
    SearchBox = "searchbox",
    SectionFooter = "sectionfooter",
    SectionHeader = "sectionheader",
    Separator = "separator",
    Slider = "slider",
    SpinButton = "spinbutton",
    Status = "status",
    Strong = "strong",
    Subscript = "subscript",
    Suggestion = "suggestion",
    Superscript = "superscript",
    SvgRoot = "SvgRoot",
    Switch = "switch",
    Tab = "tab",
    TabList = "tablist",
    TabPanel = "tabpanel",
    Table = "table",
    Term = "term",
    TextBox = "textbox",
    Time = "time",
    Timer = "timer",
    ToggleButton = "button",
    Toolbar = "toolbar",
    Tooltip = "tooltip",
    Tree = "tree",
    TreeGrid = "treegrid",
    TreeItem = "treeitem",
    Video = "Video",
}

impl Role {
    /// Roles whose users act on them: each carries an id.
    pub(crate) fn is_control(self) -> bool {
        matches!(
            self,
            Role::Button
                | Role::ToggleButton
                | Role::Checkbox
                | Role::ColorWell
                | Role::ComboBox
                | Role::Date
                | Role::DateTime
                | Role::DisclosureTriangle
                | Role::InputTime
                | Role::Link
                | Role::ListBox
                | Role::MenuItem
                | Role::MenuItemCheckbox
                | Role::MenuItemRadio
                | Role::Option
                | Role::Radio
                | Role::ScrollBar
                | Role::SearchBox
                | Role::Slider
                | Role::SpinButton
                | Role::Switch
                | Role::Tab
                | Role::TextBox
                | Role::TreeItem
                | Role::Audio
                | Role::Video
        )
    }

    /// WAI-ARIA 1.2, 5.2.8.4: roles that may take their name from their content.
    pub(crate) fn takes_name_from_content(self) -> bool {
        matches!(
            self,
            Role::Button
                | Role::ToggleButton
                | Role::Cell
                | Role::Checkbox
                | Role::ColumnHeader
                | Role::DisclosureTriangle
                | Role::GridCell
                | Role::Heading
                | Role::Link
                | Role::MenuItem
                | Role::MenuItemCheckbox
                | Role::MenuItemRadio
                | Role::Option
                | Role::Radio
                | Role::RowHeader
                | Role::Switch
                | Role::Tab
                | Role::Tooltip
                | Role::TreeItem
                | Role::LayoutTableCell
                | Role::Term
        )
    }

    /// Roles whose text stays their own: it is not part of the name of what stands around them.
    pub(crate) fn keeps_text_to_itself(self) -> bool {
        matches!(
            self,
            Role::Alert
                | Role::AlertDialog
                | Role::Application
                | Role::Article
                | Role::Audio
                | Role::Banner
                | Role::Blockquote
                | Role::Complementary
                | Role::ContentInfo
                | Role::Dialog
                | Role::Document
                | Role::Feed
                | Role::Figure
                | Role::Form
                | Role::Grid
                | Role::Iframe
                | Role::ListBox
                | Role::Log
                | Role::Main
                | Role::Marquee
                | Role::Menu
                | Role::MenuBar
                | Role::Navigation
                | Role::Note
                | Role::RadioGroup
                | Role::Region
                | Role::Search
                | Role::Status
                | Role::Table
                | Role::TabList
                | Role::TabPanel
                | Role::Timer
                | Role::Toolbar
                | Role::Tree
                | Role::TreeGrid
                | Role::Video
        )
    }

    /// WAI-ARIA 1.2, 5.2.8.6: roles that must not be named.
    pub(crate) fn prohibits_name(self) -> bool {
        matches!(
            self,
            Role::Caption
                | Role::Code
                | Role::Deletion
                | Role::Emphasis
                | Role::Generic
                | Role::Insertion
                | Role::Mark
                | Role::None
                | Role::Paragraph
                | Role::Strong
                | Role::Subscript
                | Role::Suggestion
                | Role::Superscript
                | Role::Definition
                | Role::Figcaption
                | Role::Legend
                | Role::Time
        )
    }
}

/// Sets the role of every node of `order`, which is in page order: a part looks up what its whole became.
pub(crate) fn assign(tree: &mut Tree<'_>, order: &[NodeIndex]) {
    for &index in order {
        tree.roles[index as usize] = role_of(tree, index);
    }
}

/// The role of an element; [`Role::Generic`] when it says nothing.
pub(crate) fn role_of(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let node = tree.node(index);
    match node.kind {
        Kind::Document => return Role::RootWebArea,
        Kind::Text => return Role::StaticText,
        Kind::Pseudo | Kind::Other => return Role::Generic,
        Kind::Element => {}
    }
    if node.is(flag::ARIA)
        && let Some(role) = explicit_role(tree, index)
    {
        return role;
    }
    native_role(tree, index)
}

/// The first role of the `role` attribute that is known and may be used here.
fn explicit_role(tree: &Tree<'_>, index: NodeIndex) -> Option<Role> {
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
            Role::Button => return Some(button_role(tree, index)),
            Role::Image | Role::GraphicsSymbol | Role::GraphicsObject => return Some(role),
            _ => return Some(role),
        }
    }
    None
}

#[expect(clippy::too_many_lines, reason = "a table of one line a word")]
fn role_from_word(word: &str) -> Option<Role> {
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

fn native_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
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

fn button_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
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
        "checkbox"
            if tree.has_attribute(index, Attribute::Type)
                && tree.has_attribute(index, Attribute::AriaChecked) =>
        {
            Role::Checkbox
        }
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
    let Some(list) = list else { return Role::ListItem };
    let parent_has_role = tree.node(list).is(flag::ARIA) && tree.has_attribute(list, Attribute::Role);
    if parent_has_role {
        return match explicit_role(tree, list) {
            Some(Role::List) | None => Role::ListItem,
            Some(Role::None) => Role::None,
            Some(_) => Role::ListItem,
        };
    }
    Role::ListItem
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
pub(crate) fn is_focusable(tree: &Tree<'_>, index: NodeIndex) -> bool {
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
