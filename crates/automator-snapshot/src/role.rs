//! Roles: which one an element has, by the HTML Accessibility API Mappings (HTML-AAM) and WAI-ARIA 1.2.
//!
//! Words are those of Chromium's accessibility tree, so that people who know its output know ours.
//! Start with `role_of`.

mod explicit;
mod landmark;
mod native;
mod table;

use crate::tree::{Kind, NodeIndex, Tree, flag};

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

    /// The role of a word that authors and lines of text use.
    pub(crate) fn from_word(word: &str) -> Option<Role> {
        explicit::role_from_word(word)
    }

    /// Roles that are told without an id, as long as nobody can act on them.
    pub(crate) fn is_structure(self) -> bool {
        matches!(
            self,
            Role::Alert
                | Role::AlertDialog
                | Role::Application
                | Role::Article
                | Role::Banner
                | Role::Blockquote
                | Role::Complementary
                | Role::ContentInfo
                | Role::DescriptionList
                | Role::Dialog
                | Role::Document
                | Role::Feed
                | Role::Figure
                | Role::Form
                | Role::Grid
                | Role::Group
                | Role::List
                | Role::Log
                | Role::Main
                | Role::Menu
                | Role::MenuBar
                | Role::Meter
                | Role::Navigation
                | Role::Note
                | Role::ProgressBar
                | Role::RadioGroup
                | Role::Region
                | Role::Search
                | Role::Status
                | Role::TabList
                | Role::TabPanel
                | Role::Table
                | Role::Term
                | Role::Toolbar
                | Role::Tooltip
                | Role::Tree
                | Role::TreeGrid
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
        && let Some(role) = explicit::role(tree, index)
    {
        return role;
    }
    native::role(tree, index)
}
