//! `extract()`: session → page → snapshot → prompt → model → validate → result.

mod merge;
mod parts;
mod request;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use automator_browser::{BrowserError, Selector, SnapshotOptions};
use automator_llm::{Ask, LlmClient, Message, ResponseSchema, RetryPolicy, Urls, UsageMeter, ask_structured};
use automator_snapshot::{ElementId, Snapshot};
use serde_json::{Value, json};

use crate::automator::Session;
use crate::options::ExtractOptions;
use crate::page::Page;
use crate::prompts;
use crate::provenance::{self, Provenance};
use crate::records::{Exchange, HistoryMethod, write_exchange};
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result};

pub use request::{
    CacheStatus, Extract, ExtractWithProvenance, Extraction, PageText, PageTextRequest, RequestFuture,
    WithProvenance,
};

/// The limit of a call that sets none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(120);

/// The share of a call's limit that frames in other processes get.
const FRAME_SHARE: u32 = 4;

/// The longest that such a frame is waited for.
const LONGEST_FRAME_WAIT: Duration = Duration::from_secs(5);

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ExtractRequest {
    pub(crate) instruction: String,
    /// None for text.
    pub(crate) schema: Option<Value>,
    pub(crate) options: ExtractOptions,
    pub(crate) with_provenance: bool,
}

/// Whether a JSON Schema can be used for an extraction; asks nobody and needs no session.
///
/// ```
/// let error = automator::check_schema(&serde_json::json!({ "type": "string", "enum": [] })).unwrap_err();
/// assert_eq!(error.context().next(), Some(("pointer", "/enum")));
/// ```
///
/// # Errors
/// [`ErrorKind::InvalidArgument`] with the place: not valid by its draft, a reference that leads nowhere, too
/// large, or one that plainly no value can fit.
pub fn check_schema(schema: &Value) -> Result<()> {
    ResponseSchema::new(schema)?;
    Ok(())
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Extracted {
    pub(crate) value: Value,
    pub(crate) provenance: Option<Provenance>,
}

/// Runs one extraction under its deadline and records it.
pub(crate) async fn extract(session: &Arc<Session>, request: &ExtractRequest) -> Result<Extracted> {
    let meter = UsageMeter::new();
    let limit = request.options.timeout.unwrap_or(DEFAULT_LIMIT);
    let outcome = under(
        limit,
        while_connected(session, run(session, request, &meter, limit)),
    )
    .await
    .map_err(|error| error.during("extract"));
    session.records.count_extract(meter.total());
    let parameters = parameters_of(request);
    match &outcome {
        Ok(extracted) => {
            session
                .records
                .add_history(HistoryMethod::Extract, parameters, extracted.value.clone());
            session.log.info(
                "extraction",
                "extracted",
                &[("instruction", request.instruction.clone())],
            );
        }
        Err(error) => {
            session
                .records
                .add_history(HistoryMethod::Extract, parameters, Value::Null);
            session.log.error("extraction", error.to_string(), &[]);
        }
    }
    outcome
}

async fn run(
    session: &Arc<Session>,
    request: &ExtractRequest,
    meter: &UsageMeter,
    limit: Duration,
) -> Result<Extracted> {
    session.live("extract")?;
    let instruction = checked_instruction(&request.instruction)?;
    let page = page_of(session, &request.options)?;
    let given_schema = request.schema.clone().unwrap_or_else(text_schema);
    let schema = ResponseSchema::new(&given_schema)?;
    let client = client_of(session, &request.options)?;
    let snapshot = read(&page, &request.options, limit).await?;
    let png: Option<Arc<[u8]>> = match request.options.screenshot {
        true => Some(page.browser_page().viewport_png().await?.into()),
        false => None,
    };
    let question = Question {
        session,
        client: client.as_ref(),
        given_schema: &given_schema,
        schema: &schema,
        snapshot: &snapshot,
        meter,
    };
    let value = match parts::plan(client.as_ref(), &snapshot, &schema, png.is_some()) {
        None => {
            let system_prompt = session.options.system_prompt.as_deref();
            question
                .ask(prompts::extract(
                    system_prompt,
                    snapshot.text(),
                    None,
                    instruction,
                    png,
                ))
                .await?
        }
        Some(texts) => parts::read(&question, &texts, instruction, png).await?,
    };
    let provenance = match request.with_provenance {
        true => Some(provenance::of(&value, &snapshot, page.browser_page()).await?),
        false => None,
    };
    Ok(Extracted { value, provenance })
}

/// Reads the page as text under the deadline, without a model.
pub(crate) async fn page_text(session: &Arc<Session>, options: &ExtractOptions) -> Result<String> {
    let limit = options.timeout.unwrap_or(DEFAULT_LIMIT);
    let reading = async {
        session.live("extract")?;
        let page = page_of(session, options)?;
        Ok(read(&page, options, limit).await?.text().to_owned())
    };
    let text = under(limit, reading)
        .await
        .map_err(|error: Error| error.during("extract"))?;
    let parameters = json!({ "selector": options.selector, "ignoreSelectors": options.ignore_selectors });
    session
        .records
        .add_history(HistoryMethod::Extract, parameters, json!({ "pageText": text }));
    Ok(text)
}

/// A question about one page, asked once or part by part.
struct Question<'q> {
    session: &'q Arc<Session>,
    client: &'q dyn LlmClient,
    /// As the caller wrote it.
    given_schema: &'q Value,
    schema: &'q ResponseSchema,
    snapshot: &'q Snapshot,
    meter: &'q UsageMeter,
}

impl Question<'_> {
    /// Asks the model; the answer fits the schema, its addresses are those of the page.
    async fn ask(&self, messages: Vec<Message>) -> Result<Value> {
        self.ask_for(messages, self.schema).await
    }

    async fn ask_for(&self, messages: Vec<Message>, schema: &ResponseSchema) -> Result<Value> {
        let by_id = |id: &str| self.address(id);
        let is_known = |url: &str| self.snapshot.holds_address(url);
        let urls = Urls {
            by_id: &by_id,
            is_known: &is_known,
        };
        let prompt = prompts::text_of(&messages);
        let ask = Ask {
            request: automator_llm::GenerateRequest::new(messages),
            name: "extraction",
            schema,
            judge: &|value| schema.restore(value, &urls),
            retry: RetryPolicy::default(),
            meter: self.meter.clone(),
        };
        self.session.log.debug(
            "llm",
            "asking the model",
            &[("model", self.client.model_name().to_owned())],
        );
        let answered = ask_structured(self.client, ask).await;
        let (reply, error, usage) = match &answered {
            Ok(answered) => (answered.raw.clone(), None, answered.usage),
            Err(failure) => (
                failure.raw.clone(),
                Some(failure.error.to_string()),
                failure.usage,
            ),
        };
        self.session.log.debug(
            "llm",
            "the model answered",
            &[
                ("promptTokens", usage.tokens.prompt.to_string()),
                ("completionTokens", usage.tokens.completion.to_string()),
            ],
        );
        if self.session.options.log_inference_to_file {
            let exchange = Exchange {
                operation: "extract",
                timestamp: crate::records::timestamp(),
                model: self.client.model_name().to_owned(),
                prompt,
                schema: (**schema.to_send()).clone(),
                reply,
                error,
                usage,
            };
            write_down(self.session, exchange).await;
        }
        answered
            .map(|answered| answered.value)
            .map_err(|failure| failure.error.into())
    }
}

impl Question<'_> {
    /// The address that the element of an id leads to.
    fn address(&self, id: &str) -> Option<String> {
        self.snapshot.urls().get(&id.parse::<ElementId>().ok()?).cloned()
    }

    /// Holds a value that was put together from several answers against the caller's schema.
    fn check(&self, value: Value) -> Result<Value> {
        let reply = if self.schema.is_wrapped() {
            json!({ "value": value })
        } else {
            value
        };
        let urls = Urls {
            by_id: &|id| self.address(id),
            is_known: &|url| self.snapshot.holds_address(url),
        };
        self.schema.restore(reply, &urls).map_err(|violations| {
            let model = self.client.model_name().to_owned();
            automator_llm::LlmError::SchemaValidation {
                model,
                violations,
                preview: String::new(),
            }
            .into()
        })
    }
}

async fn write_down(session: &Session, exchange: Exchange) {
    let written = tokio::task::spawn_blocking(move || write_exchange(Path::new("."), &exchange)).await;
    if let Ok(Err(error)) = written {
        session
            .log
            .error("llm", format!("the exchange cannot be written: {error}"), &[]);
    }
}

async fn read(page: &Page, options: &ExtractOptions, limit: Duration) -> Result<Snapshot> {
    let scope = scope(options.selector.as_deref(), &options.ignore_selectors, limit)?;
    let snapshot = page.browser_page().snapshot(&scope).await;
    snapshot.map_err(|error| reading_error(error, &scope))
}

/// What reading a part of a page failed with. An XPath that the page cannot evaluate to elements, such as
/// `count(//a)`, makes the page throw.
pub(crate) fn reading_error(error: BrowserError, scope: &SnapshotOptions) -> Error {
    let selectors = scope.selector.iter().chain(&scope.ignore);
    let xpaths: Vec<&str> = selectors
        .filter(|selector| selector.is_xpath())
        .map(Selector::as_str)
        .collect();
    if !matches!(error, BrowserError::Evaluation { .. }) || xpaths.is_empty() {
        return error.into();
    }
    let xpaths = xpaths.join("` or `");
    Error::invalid_argument(format!(
        "`{xpaths}` is not a valid selector: it does not lead to elements"
    ))
    .hint("an XPath selector gives elements and no number or text, as //h1 or (//a)[2]")
    .with("selector", xpaths)
    .caused_by(error)
}

/// The part of a page that is read, and the share of a call's limit that frames in other processes get.
pub(crate) fn scope(selector: Option<&str>, ignored: &[String], limit: Duration) -> Result<SnapshotOptions> {
    let share = if limit.is_zero() {
        LONGEST_FRAME_WAIT
    } else {
        limit / FRAME_SHARE
    };
    Ok(SnapshotOptions {
        selector: selector.map(Selector::parse).transpose()?,
        ignore: ignored
            .iter()
            .map(|text| Selector::parse(text).map_err(Error::from))
            .collect::<Result<_>>()?,
        frame_limit: share.min(LONGEST_FRAME_WAIT),
        ..SnapshotOptions::default()
    })
}

fn page_of(session: &Arc<Session>, options: &ExtractOptions) -> Result<Page> {
    match &options.page {
        Some(page) if page.belongs_to(session) => Ok(page.clone()),
        Some(_) => Err(Error::invalid_argument("the page belongs to another session")),
        None => {
            let browser = session.live("extract")?;
            crate::context::Context::new(Arc::clone(session), browser.context()).active_page()
        }
    }
}

fn client_of(session: &Session, options: &ExtractOptions) -> Result<Arc<dyn LlmClient>> {
    let client = session.models.client(options.model.as_ref())?;
    if options.screenshot && !client.accepts_images() {
        let message = format!("{} takes no pictures", client.model_name());
        return Err(Error::new(ErrorKind::UnsupportedModel, message)
            .with("model", client.model_name())
            .hint("leave screenshot out, or use a model that takes images"));
    }
    Ok(client)
}

fn checked_instruction(instruction: &str) -> Result<&str> {
    let instruction = instruction.trim();
    if instruction.is_empty() {
        return Err(Error::invalid_argument("the instruction is empty")
            .hint("say what to extract, or use page_text()"));
    }
    Ok(instruction)
}

/// The schema of an extraction without one.
fn text_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "extraction": { "type": "string", "description": "What was asked for, as text." } },
        "required": ["extraction"],
        "additionalProperties": false,
    })
}

fn parameters_of(request: &ExtractRequest) -> Value {
    let mut parameters = json!({ "instruction": request.instruction });
    let options = &request.options;
    let optional = [
        ("schema", request.schema.clone()),
        ("selector", options.selector.clone().map(Value::from)),
        (
            "ignoreSelectors",
            (!options.ignore_selectors.is_empty()).then(|| json!(options.ignore_selectors)),
        ),
        ("screenshot", options.screenshot.then_some(Value::Bool(true))),
        (
            "model",
            options
                .model
                .as_ref()
                .map(|model| Value::from(model.model_name.clone())),
        ),
    ];
    if let Value::Object(members) = &mut parameters {
        members.extend(
            optional
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?))),
        );
    }
    parameters
}

/// Ends work also when the browser is lost, which a call that waits for a model would not notice.
async fn while_connected<T>(session: &Session, work: impl Future<Output = Result<T>>) -> Result<T> {
    let browser = session.live("extract")?;
    tokio::select! {
        biased;
        outcome = work => outcome,
        reason = browser.closed() => {
            let message = format!("the connection to the browser is closed: {reason}");
            Err(Error::new(ErrorKind::CdpConnectionClosed, message))
        }
    }
}

/// Runs work under a deadline that cancels it; zero is none.
async fn under<T>(limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    if limit.is_zero() {
        return work.await;
    }
    match tokio::time::timeout(limit, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(
            ErrorKind::ExtractTimeout,
            format!("timed out after {}", time_text(limit)),
        )),
    }
}
