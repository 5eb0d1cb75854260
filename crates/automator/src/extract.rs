//! `extract()`: session → page → snapshot → prompt → model → validate → result.

mod away;
mod memory;
mod merge;
pub(crate) mod parts;
mod request;

use std::sync::Arc;
use std::time::Duration;

use automator_llm::{LlmClient, Message, ResponseSchema, Urls, UsageMeter};
use automator_snapshot::{ElementId, Snapshot};
use serde_json::{Value, json};

use self::away::{extract_away, page_text_away};
use self::memory::Memory;
use crate::asking::{Asking, without_hidden};
use crate::deadline::{page_of, under};
use crate::options::{ExtractOptions, PageExtractOptions, is_of_objects};
use crate::page::Page;
use crate::prompts;
use crate::provenance::{self, Provenance};
use crate::reading::{read, scope};
use crate::records::{HistoryMethod, OperationGroup};
use crate::remote::{self, Accounts, Told};
use crate::service::{Answer, Asked};
use crate::session::Session;
use crate::{Error, ErrorKind, Result};

pub use request::{
    CacheStatus, Extract, ExtractWithCacheStatus, ExtractWithProvenance, Extraction, PageText,
    PageTextRequest, RequestFuture, WithCacheStatus, WithProvenance,
};
pub(crate) use request::{schema_of, typed};

/// What the log says of an extraction that went well.
const DONE: &str = "extracted";

/// The limit of a call that sets none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(120);

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ExtractRequest {
    pub(crate) instruction: String,
    /// None for text.
    pub(crate) schema: Option<Value>,
    pub(crate) options: ExtractOptions,
    pub(crate) with_provenance: bool,
    pub(crate) manner: Manner,
}

/// How a page is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// How long the page may take to come to rest before; none reads it as it is.
    pub(crate) settling: Option<Duration>,
    /// Whether the content of frames is left out.
    pub(crate) without_frames: bool,
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
    pub(crate) cache_status: Option<CacheStatus>,
}

/// Runs one extraction under its deadline and records it.
pub(crate) async fn extract(session: &Arc<Session>, request: &ExtractRequest) -> Result<Extracted> {
    let meter = request.options.service.meter.part();
    let limit = request.options.timeout.unwrap_or(DEFAULT_LIMIT);
    let told = Told::default();
    let accounts = Accounts {
        meter: &meter,
        told: &told,
    };
    let outcome = under(
        session,
        "extract",
        limit,
        &request.options.service,
        run(session, request, accounts, limit),
    )
    .await;
    session.records.count(OperationGroup::Extract, meter.total());
    let parameters = parameters_of(request);
    match &outcome {
        Ok(extracted) => {
            session.records.add_history(
                HistoryMethod::Extract,
                parameters,
                without_hidden(extracted.value.clone()),
            );
            if !told.is_last("extraction", DONE) {
                let details = [("instruction", request.instruction.clone())];
                session.log.info("extraction", DONE, &details);
            }
        }
        Err(error) => {
            session
                .records
                .add_history(HistoryMethod::Extract, parameters, Value::Null);
            let text = error.to_string();
            if !told.is_last("extraction", &text) {
                session.log.error("extraction", text, &[]);
            }
        }
    }
    outcome
}

/// One extraction by what `cacheDir` remembers of an earlier one, without a model; none when that does not do. What is
/// wholly there or not at all is taken from a page that has not come to rest, too.
pub(crate) async fn extract_from_memory(
    session: &Arc<Session>,
    request: &ExtractRequest,
) -> Result<Option<Value>> {
    let instruction = checked_instruction(&request.instruction)?;
    let page = page_of(session, "extract", request.options.page.as_ref()).await?;
    let schema = ResponseSchema::new(&request.schema.clone().unwrap_or_else(text_schema))?;
    let Some(memory) = Memory::of(session, request, instruction, &page) else {
        return Ok(None);
    };
    let Some(recipe) = memory.recipe().await else {
        return Ok(None);
    };
    let limit = request.options.timeout.unwrap_or(DEFAULT_LIMIT);
    let replay = async || -> Result<Option<Value>> {
        let snapshot = read_for(&page, &request.options, request.manner, limit).await?;
        Ok(memory.replay(&recipe, &snapshot, &schema))
    };
    let mut value = None;
    if !recipe.needs_rest() {
        page.settle_scripts().await?;
        value = replay().await?;
    }
    if value.is_none() {
        page.settle().await?;
        value = replay().await?;
    }
    if let Some(value) = &value {
        session.records.add_history(
            HistoryMethod::Extract,
            parameters_of(request),
            without_hidden(value.clone()),
        );
    }
    Ok(value)
}

async fn run(
    session: &Arc<Session>,
    request: &ExtractRequest,
    accounts: Accounts<'_>,
    limit: Duration,
) -> Result<Extracted> {
    let instruction = checked_instruction(&request.instruction)?;
    let page = page_of(session, "extract", request.options.page.as_ref()).await?;
    let given_schema = request.schema.clone().unwrap_or_else(text_schema);
    let schema = ResponseSchema::new(&given_schema)?;
    let memory = Memory::of(session, request, instruction, &page);
    // Without one the model is not asked, and a key is needed for nothing.
    let known = match &memory {
        Some(memory) => memory.recipe().await,
        None => None,
    };
    // Where a value stands, and how version 2 reads a page, is known here alone.
    let can_travel = !request.with_provenance && request.manner == Manner::default();
    if let Some(away) = remote::away(session).filter(|_| can_travel && known.is_none()) {
        let snapshot = match &memory {
            Some(_) => Some(read_for(&page, &request.options, request.manner, limit).await?),
            None => None,
        };
        let (value, cache_status) = extract_away(&away, &page, request, accounts).await?;
        if let (Some(memory), Some(snapshot)) = (&memory, &snapshot) {
            memory.learn(snapshot, &given_schema, &value).await;
        }
        return Ok(Extracted {
            value,
            provenance: None,
            cache_status,
        });
    }
    // The same goes for answers that a server keeps.
    let may_be_answered = known.is_some() || request.options.service.answers.is_some();
    let client = match may_be_answered {
        true => None,
        false => Some(client_of(session, &request.options)?),
    };
    let snapshot = read_for(&page, &request.options, request.manner, limit).await?;
    let answer = answer_of(session, request, instruction, &page, &snapshot);
    let remembered = match (&memory, &known, &answer) {
        (Some(memory), Some(recipe), _) => memory.replay(recipe, &snapshot, &schema),
        (_, _, Some(answer)) => answer.value(&schema, &snapshot).await,
        _ => None,
    };
    let value = match remembered {
        Some(value) => value,
        None => {
            let client = match client {
                Some(client) => client,
                None => client_of(session, &request.options)?,
            };
            let question = ModelQuestion {
                request,
                instruction,
                schema: &schema,
                given_schema: &given_schema,
                meter: accounts.meter,
            };
            let value = question.of(session, client.as_ref(), &page, &snapshot).await?;
            if let Some(memory) = &memory {
                memory.learn(&snapshot, &given_schema, &value).await;
            }
            if let Some(answer) = answer.filter(|_| !is_empty(&value)) {
                answer.keep(value.clone());
            }
            value
        }
    };
    let provenance = match request.with_provenance {
        true => Some(provenance::of(&value, &snapshot, page.browser_page()).await?),
        false => None,
    };
    Ok(Extracted {
        value,
        provenance,
        cache_status: None,
    })
}

/// What a model is asked.
struct ModelQuestion<'a> {
    request: &'a ExtractRequest,
    instruction: &'a str,
    schema: &'a ResponseSchema,
    given_schema: &'a Value,
    meter: &'a UsageMeter,
}

impl ModelQuestion<'_> {
    /// Asks about the page, at once or part by part.
    async fn of(
        &self,
        session: &Arc<Session>,
        client: &dyn LlmClient,
        page: &Page,
        snapshot: &Snapshot,
    ) -> Result<Value> {
        let png: Option<Arc<[u8]>> = match self.request.options.screenshot {
            true => Some(page.browser_page().viewport_png().await?.into()),
            false => None,
        };
        let question = Question {
            asking: Asking {
                session,
                client,
                operation: "extract",
                meter: self.meter,
            },
            given_schema: self.given_schema,
            schema: self.schema,
            snapshot,
        };
        match parts::plan(client, snapshot, self.schema, png.is_some()) {
            None => {
                let system_prompt = session.options.system_prompt.as_deref();
                let messages = prompts::extract(system_prompt, snapshot.text(), None, self.instruction, png);
                question.ask(messages).await
            }
            Some(texts) => parts::read(&question, &texts, self.instruction, png).await,
        }
    }
}

/// Reads the page as text under the deadline, without a model.
pub(crate) async fn page_text(
    session: &Arc<Session>,
    options: &ExtractOptions,
    manner: Manner,
) -> Result<(String, Option<CacheStatus>)> {
    let limit = options.timeout.unwrap_or(DEFAULT_LIMIT);
    let reading = async {
        let page = page_of(session, "extract", options.page.as_ref()).await?;
        if let Some(away) = remote::away(session).filter(|_| manner == Manner::default()) {
            let accounts = Accounts {
                meter: &UsageMeter::new(),
                told: &Told::default(),
            };
            return page_text_away(&away, &page, options, accounts).await;
        }
        let snapshot = read_for(&page, options, manner, limit).await?;
        // The text is the answer; whether it was given before is all that there is to know.
        let asked = Asked {
            operation: "page text",
            instruction: "",
            url: &page.url(),
            snapshot: &snapshot,
            selector: options.selector.as_deref(),
            ignore_selectors: &options.ignore_selectors,
            schema: None,
            model: "",
            system_prompt: None,
            variables: Vec::new(),
        };
        let answer = options.service.answer(&asked, &|text| session.masked(text));
        if let Some(answer) = answer
            && !answer.is_kept().await
        {
            answer.keep(Value::Bool(true));
        }
        Ok((snapshot.text().to_owned(), None))
    };
    let (text, cache_status) = under(session, "extract", limit, &options.service, reading).await?;
    let parameters = json!({ "selector": options.selector, "ignoreSelectors": options.ignore_selectors });
    session
        .records
        .add_history(HistoryMethod::Extract, parameters, json!({ "pageText": text }));
    Ok((text, cache_status))
}

/// One extraction from a page by the rules of version 2.
pub(crate) async fn extract_on_page(
    session: &Arc<Session>,
    page: &Page,
    given: &PageExtractOptions,
) -> Result<Value> {
    if given.schema.as_ref().is_some_and(|schema| !is_of_objects(schema)) {
        let message = "the schema must be one of an object";
        return Err(Error::invalid_argument(message)
            .hint("wrap it, as { items: [...] }")
            .during("extract"));
    }
    let model = given.model(session.options.model.as_ref());
    let options = ExtractOptions {
        model: model.map_err(|error| error.during("extract"))?,
        selector: given.selector.clone(),
        page: Some(page.clone()),
        ..ExtractOptions::default()
    };
    let settling = given
        .dom_settle_timeout
        .unwrap_or(session.options.dom_settle_timeout);
    let manner = Manner {
        settling: (!settling.is_zero()).then_some(settling),
        without_frames: !given.iframes,
    };
    if given.instruction.is_none() && given.schema.is_none() {
        let (text, _) = page_text(session, &options, manner).await?;
        return Ok(json!({ "pageText": text }));
    }
    let request = ExtractRequest {
        instruction: given.instruction.clone().unwrap_or_default(),
        schema: given.schema.clone(),
        options,
        with_provenance: false,
        manner,
    };
    Ok(extract(session, &request).await?.value)
}

/// A question about one page, asked once or part by part.
struct Question<'q> {
    asking: Asking<'q>,
    /// As the caller wrote it.
    given_schema: &'q Value,
    schema: &'q ResponseSchema,
    snapshot: &'q Snapshot,
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
        self.asking
            .ask("extraction", schema, messages, &|value| {
                schema.restore(value, &urls)
            })
            .await
    }

    /// The address that the element of an id leads to.
    fn address(&self, id: &str) -> Option<String> {
        self.snapshot.urls().get(&id.parse::<ElementId>().ok()?).cloned()
    }

    /// Holds a value that was put together from several answers against the caller's schema.
    fn check(&self, value: Value) -> Result<Value> {
        let urls = Urls {
            by_id: &|id| self.address(id),
            is_known: &|url| self.snapshot.holds_address(url),
        };
        self.schema
            .restore(self.schema.as_answer(value), &urls)
            .map_err(|violations| {
                let model = self.asking.client.model_name().to_owned();
                automator_llm::LlmError::SchemaValidation {
                    model,
                    violations,
                    preview: String::new(),
                }
                .into()
            })
    }
}

async fn read_for(
    page: &Page,
    options: &ExtractOptions,
    manner: Manner,
    limit: Duration,
) -> Result<Snapshot> {
    let mut scope = scope(options.selector.as_deref(), &options.ignore_selectors, limit)?;
    scope.without_frames = manner.without_frames;
    if let Some(settling) = manner.settling {
        page.browser_page().settle(settling).await?;
    }
    read(page, &scope).await
}

/// The answer that a server keeps for the next call; none for questions with a picture, which the page does not hold.
fn answer_of(
    session: &Session,
    request: &ExtractRequest,
    instruction: &str,
    page: &Page,
    snapshot: &Snapshot,
) -> Option<Answer> {
    let options = &request.options;
    if options.screenshot {
        return None;
    }
    let asked = Asked {
        operation: "extract",
        instruction,
        url: &page.url(),
        snapshot,
        selector: options.selector.as_deref(),
        ignore_selectors: &options.ignore_selectors,
        schema: request.schema.as_ref(),
        model: &session.models.name(options.model.as_ref()),
        system_prompt: session.options.system_prompt.as_deref(),
        variables: Vec::new(),
    };
    options.service.answer(&asked, &|text| session.masked(text))
}

/// Whether an answer says that there was nothing. Such a one is not kept: it may be the model's mistake.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(members) => members.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) => false,
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
