//! How words of a name belong together in English: what makes a grave deed of a verb, and what makes none of a word that
//! is grave elsewhere. Words that are grave by themselves, in every language, are in `words.rs`; how all of it is read
//! is in `naming.rs`.

use super::AgentConfirmKind as Kind;

/// Verbs that are grave with one of these objects, at most one other word apart.
pub(super) struct Verbs {
    pub(super) kind: Kind,
    pub(super) verbs: &'static [&'static str],
    pub(super) objects: &'static [&'static str],
}

pub(super) const WITH_OBJECT: &[Verbs] = &[
    Verbs {
        kind: Kind::Purchase,
        verbs: &[
            "confirm",
            "complete",
            "finalize",
            "finalise",
            "finish",
            "make",
            "submit",
            "place",
            "send",
            "authorize",
            "authorise",
            "approve",
            "execute",
            "proceed to",
            "continue to",
            "proceed with",
        ],
        objects: &[
            "payment",
            "order",
            "purchase",
            "booking",
            "reservation",
            "transaction",
            "bet",
            "bid",
            "wager",
            "offer",
            "deposit",
            "donation",
            "pledge",
            "trade",
            "rental",
            "pay",
            "preorder",
        ],
    },
    Verbs {
        kind: Kind::Purchase,
        verbs: &["start", "begin", "activate", "renew", "confirm"],
        objects: &["subscription", "trial", "membership"],
    },
    Verbs {
        kind: Kind::Purchase,
        verbs: &["click", "one click"],
        objects: &["order", "buy", "purchase", "checkout"],
    },
    Verbs {
        kind: Kind::Delete,
        verbs: &["cancel", "end", "terminate", "stop", "annul"],
        objects: &[
            "order",
            "booking",
            "reservation",
            "subscription",
            "membership",
            "contract",
            "plan",
            "appointment",
            "account",
            "registration",
            "flight",
            "trip",
            "ticket",
            "tickets",
            "insurance",
            "trial",
        ],
    },
    Verbs {
        kind: Kind::Delete,
        verbs: &["close", "deactivate", "disable"],
        objects: &["account", "accounts", "profile"],
    },
    Verbs {
        kind: Kind::Delete,
        verbs: &["clear", "empty", "drop", "reset", "wipe"],
        objects: &[
            "all",
            "everything",
            "data",
            "history",
            "trash",
            "bin",
            "database",
            "table",
            "cart",
            "basket",
            "folder",
            "device",
            "factory",
        ],
    },
    Verbs {
        kind: Kind::Send,
        verbs: &["message", "contact", "email", "text", "call", "notify"],
        objects: &[
            "seller",
            "host",
            "owner",
            "agent",
            "landlord",
            "buyer",
            "customer",
            "customers",
            "everyone",
            "him",
            "her",
            "them",
            "this",
            "team",
        ],
    },
    Verbs {
        kind: Kind::Send,
        verbs: &["confirm", "make", "complete", "authorize", "authorise"],
        objects: &["transfer", "withdrawal"],
    },
    Verbs {
        kind: Kind::Send,
        verbs: &["sign"],
        objects: &["document", "contract", "agreement", "petition"],
    },
];

/// Words that are verbs only where a clause begins with them; elsewhere they are nouns.
pub(super) const AT_THE_BEGINNING: &[(Kind, &[&str])] = &[
    (
        Kind::Purchase,
        &[
            "order",
            "book",
            "reserve",
            "rent",
            "bid",
            "bet",
            "invest",
            "preorder",
            "pre order",
            "lease",
        ],
    ),
    (
        Kind::Send,
        &[
            "post", "share", "comment", "forward", "transfer", "retweet", "repost", "withdraw",
        ],
    ),
];

/// What may stand before the beginning.
pub(super) const BEFORE_THE_BEGINNING: &[&str] = &[
    "yes", "ok", "okay", "please", "now", "just", "click", "tap", "press", "here", "to", "i", "want",
    "quickly", "securely",
];

/// What may stand between a verb and its object besides one other word.
pub(super) const BETWEEN: &[&str] = &[
    "a", "an", "the", "my", "your", "our", "this", "that", "these", "those", "its", "to", "with", "of", "for",
];

/// Compounds of a word that is grave elsewhere, and what makes one of it.
pub(super) const COMPOUNDS: &[(&[&str], &[&str])] = &[
    (
        &["pay"],
        &[
            "slip",
            "slips",
            "stub",
            "stubs",
            "grade",
            "gap",
            "day",
            "scale",
            "rates",
            "history",
            "calculator",
        ],
    ),
    (
        &[
            "order", "orders", "book", "bid", "bet", "rent", "reserve", "purchase",
        ],
        &[
            "history",
            "list",
            "number",
            "status",
            "details",
            "summary",
            "overview",
            "tracking",
            "by",
            "date",
            "id",
            "reviews",
            "review",
            "club",
            "price",
            "prices",
            "requirements",
            "settings",
            "options",
        ],
    ),
    (
        &["post", "share", "comment", "forward", "transfer"],
        &[
            "code",
            "codes",
            "office",
            "price",
            "prices",
            "index",
            "history",
            "settings",
            "options",
            "policy",
            "count",
            "guidelines",
            "rate",
            "rates",
            "limit",
            "limits",
            "fee",
            "fees",
        ],
    ),
    (
        &["download", "upload", "export"],
        &[
            "center",
            "centre",
            "history",
            "options",
            "settings",
            "limit",
            "limits",
            "speed",
            "page",
            "guide",
            "manager",
            "folder",
            "instructions",
            "statistics",
        ],
    ),
    (
        &["remove", "clear", "reset"],
        &["filter", "filters", "selection", "search", "formatting"],
    ),
];

/// Names of things, whole.
pub(super) const NAMES_OF_THINGS: &[&str] = &[
    "buy again list",
    "buy again items",
    "buy again page",
    "buy box",
    "best buy",
    "clear all filters",
    "remove all filters",
    "reset all filters",
];

/// What a clause begins with that only looks, or goes somewhere.
pub(super) const LOOKS: &[&str] = &[
    "view",
    "show",
    "see",
    "find",
    "search",
    "filter",
    "sort",
    "undo",
    "back",
    "cancel",
    "close",
    "dismiss",
    "open",
    "hide",
    "browse",
    "explore",
    "track",
    "compare",
    "read",
    "preview",
    "manage",
    "skip",
    "go to",
    "return to",
    "add to",
];

/// What a sentence begins with that explains: all of it does, over every "and".
pub(super) const EXPLAINS: &[&str] = &[
    "how",
    "learn",
    "about",
    "why",
    "what",
    "when",
    "where",
    "guide to",
    "help with",
];

/// What takes the word away that follows.
pub(super) const NEGATIONS: &[&str] = &["do not", "don't", "don’t", "never"];

/// The words that part clauses.
pub(super) const CONJUNCTIONS: &[&str] = &["and", "or", "then", "und", "oder"];
