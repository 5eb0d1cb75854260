//! The table of the interface: what there is to call, and what it is for.

/// What a request needs to be let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Auth {
    /// An API key.
    Key,
    /// A token in the address.
    Token,
    /// Either.
    KeyOrToken,
    /// Nothing.
    None,
}

/// Something to call.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// Its name in programs.
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) auth: Auth,
    /// Parameters of the address: name and meaning. Where a key is needed, others are refused.
    pub(super) query: &'static [(&'static str, &'static str)],
    /// The schema of its body, if it has one.
    pub(super) body: Option<&'static str>,
    /// The schema of its answer, if that is JSON.
    pub(super) answer: Option<&'static str>,
    /// What can go wrong: status and meaning.
    pub(super) errors: &'static [(u16, &'static str)],
}

const NO_KEY: (u16, &str) = (401, "The API key is missing or not valid.");
const BAD: (u16, &str) = (
    400,
    "A member of the request is unknown, missing or wrong; the message names it.",
);
const NO_SESSION: (u16, &str) = (404, "There is no such session of this key.");
const NO_CONTEXT: (u16, &str) = (404, "There is no such context of this key.");
const ENDED: (u16, &str) = (410, "The session has ended.");
const NOT_DONE: (u16, &str) = (
    422,
    "The page, or the model, did not let it happen; the message says why.",
);
const FULL: (u16, &str) = (
    429,
    "Too many requests wait, or were made; try again after `retry-after` seconds.",
);
const ENDING: (u16, &str) = (
    503,
    "The server is ending; try again when it has been started again.",
);

/// What an operation can end with.
const OPERATION: &[(u16, &str)] = &[BAD, NO_KEY, NO_SESSION, ENDED, NOT_DONE, FULL];

const fn operation(
    path: &'static str,
    name: &'static str,
    summary: &'static str,
    body: &'static str,
) -> Endpoint {
    Endpoint {
        method: "post",
        path,
        name,
        summary,
        auth: Auth::Key,
        query: &[],
        body: Some(body),
        answer: Some("Done"),
        errors: OPERATION,
    }
}

/// All that there is.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "post",
        path: "/v1/sessions",
        name: "createSession",
        summary: "Creates a session, and answers when its browser runs. With the header `idempotency-key`, of at most 255 characters, the same request gives the same session for 24 hours.",
        auth: Auth::Key,
        query: &[],
        body: Some("CreateParameters"),
        answer: Some("Session"),
        errors: &[
            BAD,
            NO_KEY,
            (409, "Another request was made under the same idempotency key."),
            FULL,
            ENDING,
        ],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions",
        name: "listSessions",
        summary: "The sessions of the key, the newest first.",
        auth: Auth::Key,
        query: &[
            (
                "status",
                "Only those in this state: PENDING, RUNNING, ERROR, TIMED_OUT or COMPLETED.",
            ),
            (
                "q",
                "A search of the hosted contract. Accepted, and without effect here: what it asks for has to be looked for in `userMetadata` of the answer.",
            ),
        ],
        body: None,
        answer: Some("Sessions"),
        errors: &[BAD, NO_KEY],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}",
        name: "getSession",
        summary: "A session.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: Some("Session"),
        errors: &[NO_KEY, NO_SESSION],
    },
    Endpoint {
        method: "post",
        path: "/v1/sessions/{id}",
        name: "releaseSession",
        summary: "Ends a session: `{\"status\": \"REQUEST_RELEASE\"}`.",
        auth: Auth::Key,
        query: &[],
        body: Some("Release"),
        answer: Some("Session"),
        errors: &[BAD, NO_KEY, NO_SESSION],
    },
    Endpoint {
        method: "post",
        path: "/v1/sessions/start",
        name: "start",
        summary: "Starts a session for operations, or goes on with one.",
        auth: Auth::Key,
        query: &[],
        body: Some("Start"),
        answer: Some("Started"),
        errors: &[BAD, NO_KEY, NO_SESSION, ENDED, FULL, ENDING],
    },
    operation(
        "/v1/sessions/{id}/act",
        "act",
        "Does something on the page: what an instruction says, or an action.",
        "Act",
    ),
    operation(
        "/v1/sessions/{id}/extract",
        "extract",
        "Extracts from the page: text, what a schema says, or without an instruction the page as text.",
        "Extract",
    ),
    operation(
        "/v1/sessions/{id}/observe",
        "observe",
        "Finds what can be done on the page, each as an action that `act` takes.",
        "Observe",
    ),
    operation(
        "/v1/sessions/{id}/navigate",
        "navigate",
        "Brings the page to an address.",
        "Navigate",
    ),
    operation(
        "/v1/sessions/{id}/agentExecute",
        "agentExecute",
        "Does a task of many steps. That it could not be done is no error: `success` of the result says so.",
        "AgentExecute",
    ),
    Endpoint {
        method: "post",
        path: "/v1/sessions/{id}/end",
        name: "end",
        summary: "Ends a session. The body is empty.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: Some("Success"),
        errors: &[BAD, NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/replay",
        name: "replay",
        summary: "What was done in a session, page by page, and what it cost.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: Some("Replay"),
        errors: &[NO_KEY, NO_SESSION],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/debug",
        name: "debug",
        summary: "The addresses to look at a session and to control it, and its tabs.",
        auth: Auth::Key,
        query: &[(
            "expiresIn",
            "For how many seconds the addresses are good: at most 21,600, and no longer than the session.",
        )],
        body: None,
        answer: Some("Debug"),
        errors: &[BAD, NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/view",
        name: "view",
        summary: "The WebSocket of the session's page: pictures, tabs and operations; what is done with mouse and keyboard, if the token lets it.",
        auth: Auth::Token,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_SESSION, ENDED, (429, "Too many look at the session.")],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/uploads",
        name: "listUploads",
        summary: "The files that were uploaded to a session.",
        auth: Auth::KeyOrToken,
        query: &[],
        body: None,
        answer: Some("Files"),
        errors: &[NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "post",
        path: "/v1/sessions/{id}/uploads",
        name: "upload",
        summary: "Takes a file: the member `file` of a form, or the body under `?name=`. File inputs are given it by the name in the answer.",
        auth: Auth::KeyOrToken,
        query: &[("name", "The name of a file that is the body itself.")],
        body: None,
        answer: Some("File"),
        errors: &[
            BAD,
            NO_KEY,
            NO_SESSION,
            ENDED,
            (
                413,
                "The file is larger than 50 MB, or the session's files than 500 MB.",
            ),
        ],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/downloads",
        name: "downloads",
        summary: "The browser's downloads as a zip file; with `accept: application/json` a list.",
        auth: Auth::KeyOrToken,
        query: &[],
        body: None,
        answer: Some("Files"),
        errors: &[NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "get",
        path: "/v1/sessions/{id}/downloads/{name}",
        name: "download",
        summary: "One of the browser's downloads.",
        auth: Auth::KeyOrToken,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "delete",
        path: "/v1/sessions/{id}/downloads/{name}",
        name: "removeDownload",
        summary: "Removes a download.",
        auth: Auth::KeyOrToken,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_KEY, NO_SESSION, ENDED],
    },
    Endpoint {
        method: "post",
        path: "/v1/contexts",
        name: "createContext",
        summary: "Makes a context: a profile that outlives sessions. There is nothing to say about it.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: Some("Context"),
        errors: &[BAD, NO_KEY],
    },
    Endpoint {
        method: "get",
        path: "/v1/contexts/{id}",
        name: "getContext",
        summary: "A context.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: Some("Context"),
        errors: &[NO_KEY, NO_CONTEXT],
    },
    Endpoint {
        method: "delete",
        path: "/v1/contexts/{id}",
        name: "removeContext",
        summary: "Removes a context.",
        auth: Auth::Key,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_KEY, NO_CONTEXT],
    },
    Endpoint {
        method: "get",
        path: "/v1/cdp/{id}",
        name: "connect",
        summary: "A WebSocket with the DevTools protocol of the session's browser. `connectUrl` of a session is its whole address.",
        auth: Auth::Token,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_SESSION, ENDED, (502, "The browser cannot be reached.")],
    },
    Endpoint {
        method: "get",
        path: "/v1/cdp/{id}/page/{target}",
        name: "connectTab",
        summary: "The same of one tab. `cdpUrl` of a tab, in the answer of `debug`, is its whole address.",
        auth: Auth::Token,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_SESSION, ENDED, (502, "The browser cannot be reached.")],
    },
    Endpoint {
        method: "get",
        path: "/v1/openapi.json",
        name: "description",
        summary: "This description, for programs.",
        auth: Auth::None,
        query: &[],
        body: None,
        answer: None,
        errors: &[],
    },
    page("/docs", "docs", "This description, for people."),
    page("/docs/style.css", "docsStyle", "How that page looks."),
    page(
        "/sessions",
        "sessionsPage",
        "A page that lists the sessions of a key, which it asks for.",
    ),
    Endpoint {
        method: "get",
        path: "/sessions/{id}",
        name: "sessionPage",
        summary: "The page of a session: to look on, or to control it, as its token says.",
        auth: Auth::Token,
        query: &[],
        body: None,
        answer: None,
        errors: &[NO_SESSION],
    },
    page(
        "/sessions/assets/{name}",
        "sessionAssets",
        "What those pages are made of.",
    ),
    page(
        "/metrics",
        "metrics",
        "Figures for Prometheus. Needs an API key unless the server was started with `--metrics open`.",
    ),
    page("/healthz", "health", "Whether the server runs."),
    page("/readyz", "ready", "Whether sessions can be created now."),
];

const fn page(path: &'static str, name: &'static str, summary: &'static str) -> Endpoint {
    Endpoint {
        method: "get",
        path,
        name,
        summary,
        auth: Auth::None,
        query: &[],
        body: None,
        answer: None,
        errors: &[],
    }
}
