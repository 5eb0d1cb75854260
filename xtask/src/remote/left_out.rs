//! The tests that do not run with `env: REMOTE`, and why.

/// A test that does not run remotely.
pub(super) struct LeftOut {
    /// With its module, as the test runner names it.
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
}

const fn left_out(name: &'static str, reason: &'static str) -> LeftOut {
    LeftOut { name, reason }
}

const LAUNCH: &str = "it is about launch options, which have no meaning on a platform";
const NO_SESSION: &str = "it opens no session, so it would only repeat itself";

pub(super) const LEFT_OUT: &[LeftOut] = &[
    left_out("enduring::descriptors_stay_flat_over_many_sessions", LAUNCH),
    left_out(
        "events::a_browser_that_does_not_answer_is_a_connection_timeout",
        LAUNCH,
    ),
    left_out(
        "field_sessions::browser_that_dies_ends_the_calls_that_wait",
        "it finds the process of the browser by its profile, a launch option",
    ),
    left_out(
        "field_sessions::browser_that_is_kept_alive_keeps_its_page_for_the_next_session",
        LAUNCH,
    ),
    left_out("field_sessions::password_of_the_proxy_is_in_no_log_line", LAUNCH),
    left_out(
        "pages::a_response_tells_the_address_of_the_server",
        "browsers of the platform reach everything through its proxy, whose address they tell",
    ),
    left_out(
        "sessions::a_browser_that_cannot_be_started_is_an_init_error_that_says_what_to_do",
        LAUNCH,
    ),
    left_out(
        "sessions::a_model_name_without_a_provider_is_refused_at_once",
        NO_SESSION,
    ),
    left_out("sessions::the_remote_environment_asks_for_its_key", NO_SESSION),
];
