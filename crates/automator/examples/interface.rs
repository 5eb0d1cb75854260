//! Writes the public interface as data into a folder: options as JSON Schema, error names.
//!
//! `cargo xtask generate` runs it for `interface/`; with `--check` it only compares. Bindings are tested against
//! these files.

#![expect(clippy::print_stderr, reason = "a program for developers")]

use std::path::Path;
use std::process::ExitCode;

use automator::{
    ActOptions, AgentConfig, AgentExecuteOptions, AutomatorOptions, ClickOptions, CloseOptions, CookieFilter,
    DomainPolicy, DragOptions, ElementClickOptions, ElementDragOptions, ErrorKind, ExtractOptions,
    FillOptions, GotoOptions, HighlightOptions, HoverOptions, InitScript, KeyPressOptions, NewCookie,
    ObserveOptions, PageExtractOptions, PointerOptions, ReadOptions, ReloadOptions, ScreenshotOptions,
    SelectorWaitOptions, SendClickOptions, SnapshotOptions, TypeOptions, TypingOptions, ViewportSizeOptions,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.iter().any(|argument| argument == "--check");
    let Some(folder) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        eprintln!("say: interface FOLDER [--check]");
        return ExitCode::FAILURE;
    };
    let mut is_right = true;
    for (name, value) in files() {
        let path = Path::new(folder).join(name);
        let text = format!("{value:#}\n");
        if check && std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            eprintln!("{} is not what `cargo xtask generate` writes", path.display());
            is_right = false;
        }
        if !check && let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            is_right = false;
        }
    }
    if is_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn files() -> [(&'static str, Value); 10] {
    let errors = ErrorKind::ALL.iter().map(|kind| {
        let parent = kind.parent().map_or("AutomatorError", ErrorKind::name);
        json!({ "name": kind.name(), "extends": parent })
    });
    [
        ("errors.json", errors.collect()),
        ("page-call-options.json", page_call_options()),
        ("options.json", schemars::schema_for!(AutomatorOptions).to_value()),
        ("act-options.json", schemars::schema_for!(ActOptions).to_value()),
        ("agent-config.json", schemars::schema_for!(AgentConfig).to_value()),
        (
            "agent-execute-options.json",
            schemars::schema_for!(AgentExecuteOptions).to_value(),
        ),
        (
            "observe-options.json",
            schemars::schema_for!(ObserveOptions).to_value(),
        ),
        (
            "page-extract-options.json",
            schemars::schema_for!(PageExtractOptions).to_value(),
        ),
        (
            "extract-options.json",
            schemars::schema_for!(ExtractOptions).to_value(),
        ),
        (
            "snapshot-options.json",
            schemars::schema_for!(SnapshotOptions).to_value(),
        ),
    ]
}

/// Options of page, context and locator calls, by the names that the TypeScript interface gives them.
fn page_call_options() -> Value {
    json!({
        "ClickOptions": ClickOptions::schema(),
        "CloseOptions": CloseOptions::schema(),
        "CookieFilter": CookieFilter::schema(),
        "DomainPolicy": DomainPolicy::schema(),
        "DragOptions": DragOptions::schema(),
        "ElementClickOptions": ElementClickOptions::schema(),
        "ElementDragOptions": ElementDragOptions::schema(),
        "ElementTypeOptions": TypeOptions::schema(),
        "FillOptions": FillOptions::schema(),
        "GotoOptions": GotoOptions::schema(),
        "HighlightOptions": HighlightOptions::schema(),
        "InitScript": InitScript::schema(),
        "KeyPressOptions": KeyPressOptions::schema(),
        "NewCookie": NewCookie::schema(),
        "PointOptions": HoverOptions::schema(),
        "PointerOptions": PointerOptions::schema(),
        "ReloadOptions": ReloadOptions::schema(),
        "ScreenshotOptions": ScreenshotOptions::schema(),
        "SelectorWaitOptions": SelectorWaitOptions::schema(),
        "SendClickOptions": SendClickOptions::schema(),
        "TypingOptions": TypingOptions::schema(),
        "ViewportSizeOptions": ViewportSizeOptions::schema(),
    })
}
