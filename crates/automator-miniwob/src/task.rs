//! The tasks, and what is done in each.

use std::fmt;
use std::pin::Pin;

use anyhow::Result;

use crate::player::Player;
use crate::policies::{click, drag, email, form, menu, moving, picker, puzzle, read, shape, social, text};

/// One page of MiniWoB++ and how it is done.
pub struct Task {
    /// Its name there, which is that of its file.
    pub name: &'static str,
    /// What is done in it.
    pub steps: &'static [Step],
    pub(crate) policy: Policy,
}

/// Plays an episode to its end.
pub(crate) type Policy = for<'p> fn(&'p Player) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'p>>;

/// Kinds of things that are done on pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Clicks.
    Click,
    /// A field gets its value.
    Fill,
    /// Text is typed key by key.
    Type,
    /// A key or a combination is pressed.
    Press,
    /// One option of a list.
    SelectOne,
    /// Several options of a list.
    SelectSeveral,
    /// The mouse rests on something, such as a menu that opens.
    Hover,
    /// Something inside the page is scrolled.
    Scroll,
    /// An element is dragged onto another.
    DragElement,
    /// The mouse drags from one point to another.
    DragPoints,
    /// A date.
    DatePicker,
    /// A slider.
    Slider,
    /// What is needed comes late.
    Delayed,
    /// What is needed moves.
    Moving,
    /// Text is selected.
    SelectText,
    /// What is needed is skewed or turned.
    Transformed,
    /// The clipboard.
    CopyPaste,
    /// A colour.
    Colour,
    /// A place in a grid.
    Grid,
    /// Shapes in SVG.
    Shape,
}

/// All kinds of steps.
pub const STEPS: [Step; 20] = [
    Step::Click,
    Step::Fill,
    Step::Type,
    Step::Press,
    Step::SelectOne,
    Step::SelectSeveral,
    Step::Hover,
    Step::Scroll,
    Step::DragElement,
    Step::DragPoints,
    Step::DatePicker,
    Step::Slider,
    Step::Delayed,
    Step::Moving,
    Step::SelectText,
    Step::Transformed,
    Step::CopyPaste,
    Step::Colour,
    Step::Grid,
    Step::Shape,
];

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Click => "click",
            Self::Fill => "fill",
            Self::Type => "key by key",
            Self::Press => "press",
            Self::SelectOne => "select one",
            Self::SelectSeveral => "select several",
            Self::Hover => "hover",
            Self::Scroll => "inner scroll",
            Self::DragElement => "drag by element",
            Self::DragPoints => "drag by coordinates",
            Self::DatePicker => "date",
            Self::Slider => "slider",
            Self::Delayed => "delayed",
            Self::Moving => "moving",
            Self::SelectText => "select text",
            Self::Transformed => "transformed",
            Self::CopyPaste => "copy and paste",
            Self::Colour => "colour",
            Self::Grid => "grid",
            Self::Shape => "SVG",
        })
    }
}

macro_rules! task {
    ($name:literal, $policy:path, [$($step:ident),+]) => {
        Task {
            name: $name,
            steps: &[$(Step::$step),+],
            policy: |player| Box::pin($policy(player)),
        }
    };
}

/// All tasks that have a policy.
///
/// Not among them are `click-pie` and `click-pie-nodelay`: their menu puts what the mouse is over in front, by taking
/// it out of the document and in again, whereupon the browser gives the click to the whole menu. Nobody can use it
/// with a mouse today.
pub const TASKS: &[Task] = &[
    task!("click-test", click::only_button, [Click]),
    task!("click-test-2", click::button_one, [Click]),
    task!("click-test-transfer", click::button_one, [Click]),
    task!("click-button", click::named_button, [Click]),
    task!("unicode-test", click::named_button, [Click]),
    task!("click-button-sequence", click::sequence, [Click]),
    task!("button-delay", click::delayed_sequence, [Click, Delayed]),
    task!("click-link", click::link, [Click]),
    task!("click-option", click::option, [Click]),
    task!("click-checkboxes", click::checkboxes, [Click]),
    task!("click-checkboxes-large", click::checkboxes, [Click]),
    task!("click-checkboxes-transfer", click::checkboxes, [Click]),
    task!("number-checkboxes", click::draw_with_checkboxes, [Click, Grid]),
    task!("click-dialog", click::close_dialog, [Click]),
    task!("click-dialog-2", click::dialog_button, [Click]),
    task!("click-tab", click::tab, [Click]),
    task!("click-tab-2", click::link_on_a_tab, [Click]),
    task!("click-tab-2-easy", click::link_on_a_tab, [Click]),
    task!("click-tab-2-medium", click::link_on_a_tab, [Click]),
    task!("click-tab-2-hard", click::link_on_a_tab, [Click]),
    task!("click-collapsible", click::collapsible, [Click, Delayed]),
    task!("click-collapsible-nodelay", click::collapsible, [Click]),
    task!("click-collapsible-2", click::link_in_a_section, [Click, Delayed]),
    task!("click-collapsible-2-nodelay", click::link_in_a_section, [Click]),
    task!("click-widget", click::widget, [Click]),
    task!("focus-text", click::focus, [Click]),
    task!("focus-text-2", click::focus_one_of_three, [Click]),
    task!("click-color", click::coloured_box, [Click, Colour]),
    task!("click-shades", click::shades, [Click, Colour]),
    task!("odd-or-even", click::odd_or_even, [Click]),
    task!("click-menu", menu::path, [Hover, Click, Delayed]),
    task!("click-menu-2", menu::icon, [Hover, Click]),
    task!("use-autocomplete", menu::autocomplete, [Type, Click, Delayed]),
    task!("use-autocomplete-nodelay", menu::autocomplete, [Type, Click]),
    task!("navigate-tree", menu::tree, [Click, Delayed]),
    task!("choose-date", picker::date, [DatePicker, Click, Delayed]),
    task!("choose-date-easy", picker::date, [DatePicker, Click]),
    task!("choose-date-medium", picker::date, [DatePicker, Click]),
    task!("choose-date-nodelay", picker::date, [DatePicker, Click]),
    task!("use-slider", picker::slider, [Slider, Press]),
    task!("use-slider-2", picker::three_sliders, [Slider, DragPoints, Press]),
    task!(
        "form-sequence",
        picker::slider_and_checkbox,
        [Slider, Press, Click]
    ),
    task!("use-spinner", picker::spinner, [Click]),
    task!("use-colorwheel", picker::named_colour, [Colour, Fill]),
    task!("use-colorwheel-2", picker::shown_colour, [Colour, Fill]),
    task!("enter-text", form::text, [Fill, Click]),
    task!("enter-text-dynamic", form::text, [Fill, Click]),
    task!("enter-text-2", form::text_in_case, [Type, Click]),
    task!("enter-password", form::password_twice, [Fill, Click]),
    task!("enter-date", form::date, [Fill, DatePicker]),
    task!("enter-time", form::time, [Fill]),
    task!("login-user", form::login, [Fill, Click]),
    task!(
        "login-user-popup",
        form::login_interrupted,
        [Fill, Delayed, Click]
    ),
    task!("form-sequence-2", form::radio_and_number, [Fill, Click]),
    task!("form-sequence-3", form::custom_list, [SelectOne, Click]),
    task!("choose-list", form::list, [SelectOne, Click]),
    task!("click-scroll-list", form::list_of_several, [SelectSeveral, Click]),
    task!("multi-orderings", form::movie_search, [Fill, Click]),
    task!("multi-layouts", form::movie_search, [Fill, Click]),
    task!("guess-number", form::guess, [Fill, Press]),
    task!("terminal", form::terminal, [Type, Press, Delayed]),
    task!("search-engine", form::search, [Fill, Click]),
    task!("sign-agreement", form::agreement, [Scroll, Fill, Click]),
    task!("copy-paste", text::copy, [CopyPaste, Press]),
    task!("copy-paste-2", text::copy_one_of_three, [CopyPaste, Press]),
    task!("text-transform", text::skewed, [Type, Transformed]),
    task!("highlight-text", text::highlight, [SelectText, DragPoints]),
    task!(
        "highlight-text-2",
        text::highlight_one_of_three,
        [SelectText, DragPoints]
    ),
    task!("text-editor", text::style, [SelectText, Press, Click]),
    task!("resize-textarea", text::resize, [DragPoints]),
    task!("scroll-text", text::last_word, [Scroll, Fill]),
    task!("scroll-text-2", text::scroll_to_an_end, [Scroll]),
    task!("find-word", text::word_at, [Fill]),
    task!("daily-calendar", text::calendar, [DragPoints, Fill, Scroll]),
    task!("read-table", read::table_value, [Fill]),
    task!("read-table-2", read::two_table_values, [Fill]),
    task!("simple-arithmetic", read::arithmetic, [Fill]),
    task!("simple-algebra", read::algebra, [Type]),
    task!("visual-addition", read::count_blocks, [Fill]),
    task!("generate-number", read::generate, [Click]),
    task!("find-greatest", read::greatest_card, [Click]),
    task!("buy-ticket", read::ticket, [Click]),
    task!("phone-book", read::contact, [Click]),
    task!("order-food", read::order, [Scroll, Click]),
    task!("simon-says", read::simon_says, [Click, Delayed]),
    task!("drag-box", drag::box_into_box, [DragElement]),
    task!("drag-circle", drag::in_direction, [DragPoints, Shape]),
    task!("drag-single-shape", drag::in_direction, [DragPoints, Shape]),
    task!("drag-items", drag::item, [DragPoints]),
    task!("drag-items-grid", drag::item_of_grid, [DragPoints, Grid]),
    task!("drag-sort-numbers", drag::sort, [DragPoints]),
    task!("drag-shapes", drag::shapes_into_frame, [DragPoints, Shape]),
    task!("drag-shapes-2", drag::shapes_into_frames, [DragPoints, Shape]),
    task!("drag-cube", drag::cube, [DragPoints, Transformed]),
    task!("draw-line", drag::line, [DragPoints, Shape]),
    task!("click-shape", shape::described, [Shape, Click]),
    task!("count-shape", shape::count, [Shape, Click]),
    task!("identify-shape", shape::identify, [Shape, Click]),
    task!("grid-coordinate", shape::coordinate, [Grid, Shape]),
    task!("find-midpoint", shape::midpoint, [Shape, Click]),
    task!("circle-center", shape::centre, [Shape, Click]),
    task!("right-angle", shape::right_angle, [Shape, Click]),
    task!("bisect-angle", shape::bisect, [Shape, Click]),
    task!("ascending-numbers", shape::ascending, [Shape, Click]),
    task!("chase-circle", moving::chase, [Moving, Shape]),
    task!("moving-items", moving::moving_circles, [Moving, Shape]),
    task!("hot-cold", moving::hot_and_cold, [Hover, Click]),
    task!("tic-tac-toe", puzzle::tic_tac_toe, [Grid, Click]),
    task!("social-media", social::one_button, [Scroll, Click]),
    task!("social-media-some", social::several_buttons, [Scroll, Click]),
    task!("social-media-all", social::several_buttons, [Scroll, Click]),
    task!("email-inbox", email::inbox, [Click, Type]),
    task!("email-inbox-delete", email::inbox, [Click]),
    task!("email-inbox-forward", email::inbox, [Click, Type]),
    task!("email-inbox-important", email::inbox, [Click]),
    task!("email-inbox-noscroll", email::inbox, [Click, Type]),
    task!("email-inbox-reply", email::inbox, [Click, Fill]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_step_is_done_in_some_task() {
        for step in STEPS {
            assert!(TASKS.iter().any(|task| task.steps.contains(&step)), "{step}");
        }
    }

    #[test]
    fn no_task_is_there_twice() {
        for (index, task) in TASKS.iter().enumerate() {
            assert!(
                TASKS.iter().skip(index + 1).all(|other| other.name != task.name),
                "{}",
                task.name
            );
        }
    }
}
