/**
 * The errors of this library: one class for each documented name, all below {@link AutomatorError}.
 * `interface/errors.json` lists them; a test compares.
 */

import type { AgentResult } from "./agent-result";
import { hintText, operationName } from "./core-names";
import { memberOf, takeBack } from "./thrown";

/** What an error brings beside its message. */
export interface ErrorDetails {
  /** What caused it. */
  cause?: unknown;
  /** The operation that failed, as `extract` or `goto`. */
  operation?: string | undefined;
  /** What to try. */
  hint?: string | undefined;
  /** What it failed on: `selector`, `model`, `pointer`, … */
  context?: Readonly<Record<string, string>> | undefined;
}

/** The base of all errors of this library. */
export class AutomatorError extends Error {
  /** The documented name of the kind of error; the same in every language. */
  readonly code: string;
  /** The operation that failed, as `extract` or `goto`. */
  readonly operation: string | undefined;
  /** What to try. */
  readonly hint: string | undefined;
  /** What it failed on: `selector`, `model`, `pointer`, … */
  readonly context: Readonly<Record<string, string>>;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    // The name of the class as it is written here, also where a bundler shortens names.
    this.code = codeOf(new.target);
    this.operation = details.operation;
    this.hint = details.hint;
    this.context = details.context ?? {};
    Object.defineProperty(this, "name", { value: this.code, configurable: true, writable: true });
  }
}

/** The extracted data does not match the schema. */
export class SchemaValidationError extends AutomatorError {
  /** What an agent's run came to, with the `output` that its schema refuses. Other operations have none. */
  declare result?: AgentResult;
}
/** The page could not be processed. */
export class AutomatorDomProcessError extends AutomatorError {}
/** The page could not be made into text. */
export class AutomatorSnapshotError extends AutomatorDomProcessError {}
/** JavaScript in the page threw. */
export class AutomatorEvalError extends AutomatorError {}
/** `>>` follows an element that is no frame. */
export class AutomatorIframeError extends AutomatorError {}
/** A frame has no document that can be reached. */
export class ContentFrameNotFoundError extends AutomatorError {}
/** A selector matches nothing. */
export class AutomatorElementNotFoundError extends AutomatorError {}
/** An XPath matches nothing. */
export class XPathResolutionError extends AutomatorElementNotFoundError {}
/** A step into the shadow root of an element that has none. */
export class AutomatorShadowRootMissingError extends AutomatorError {}
/** An element is there, and people do not see it. */
export class ElementNotVisibleError extends AutomatorError {}
/** A click could not be made, or did not arrive. */
export class AutomatorClickError extends AutomatorError {}
/** An element cannot be used as asked, or an action on it had no effect. */
export class AutomatorLocatorError extends AutomatorError {}
/** The model gave no usable reply. */
export class LLMResponseError extends AutomatorError {}
/** No key and no client for the model. */
export class MissingLLMConfigurationError extends AutomatorError {}
/** Nobody knows the model's provider, or the model cannot do what is asked. */
export class UnsupportedModelError extends AutomatorError {}
/** The model name is not `provider/model`. */
export class InvalidAISDKModelFormatError extends AutomatorError {}
/** The browser did not come up, or cannot be reached. */
export class AutomatorInitError extends AutomatorError {}
/** A call before `init()`, or after the session ended. */
export class AutomatorNotInitializedError extends AutomatorError {}
/** The remote session does not exist. */
export class RemoteSessionNotFoundError extends AutomatorError {}
/** An environment variable that is needed is not set. */
export class MissingEnvironmentVariableError extends AutomatorError {}
/** The environment is none that exists. */
export class AutomatorEnvironmentError extends AutomatorError {}
/** An argument or option cannot be used. */
export class AutomatorInvalidArgumentError extends AutomatorError {}
/** The page is closed, or there is none. */
export class PageNotFoundError extends AutomatorError {}
/** The session or page was closed while the call ran. */
export class AutomatorClosedError extends AutomatorError {}
/** The connection to the browser ended while the call ran. */
export class CdpConnectionClosedError extends AutomatorError {}
/** The browser to attach to did not answer in time. */
export class ConnectionTimeoutError extends AutomatorInitError {}
/** A navigation failed. */
export class NavigationError extends AutomatorError {}
/** The body of a response is not there. */
export class ResponseBodyError extends AutomatorError {}
/** The body of a response is not JSON. */
export class ResponseParseError extends AutomatorError {}
/** A cookie contradicts itself. */
export class CookieValidationError extends AutomatorError {}
/** The browser refuses a cookie. */
export class CookieSetError extends AutomatorError {}
/** A download did not end well. */
export class DownloadError extends AutomatorError {}
/** The browser cannot do this on this page. */
export class UnsupportedBrowserFeatureError extends AutomatorError {}
/** A limit of time was reached. */
export class TimeoutError extends AutomatorError {}
/** `act()` reached its limit of time. */
export class ActTimeoutError extends TimeoutError {}
/** `extract()` reached its limit of time. */
export class ExtractTimeoutError extends TimeoutError {}
/** `observe()` reached its limit of time. */
export class ObserveTimeoutError extends TimeoutError {}
/** A run of the agent was ended by its caller. */
export class AgentAbortError extends AutomatorError {}
/** An MCP server that an agent was given cannot be used. */
export class MCPConnectionError extends AutomatorError {}
/** Something that is experimental was asked for, and `experimental` is not set. */
export class ExperimentalNotConfiguredError extends AutomatorError {}
/** The browser answered what it should not. */
export class ProtocolError extends AutomatorError {}

const CLASSES = {
  AutomatorError,
  SchemaValidationError,
  AutomatorDomProcessError,
  AutomatorSnapshotError,
  AutomatorEvalError,
  AutomatorIframeError,
  ContentFrameNotFoundError,
  AutomatorElementNotFoundError,
  XPathResolutionError,
  AutomatorShadowRootMissingError,
  ElementNotVisibleError,
  AutomatorClickError,
  AutomatorLocatorError,
  LLMResponseError,
  MissingLLMConfigurationError,
  UnsupportedModelError,
  InvalidAISDKModelFormatError,
  AutomatorInitError,
  AutomatorNotInitializedError,
  RemoteSessionNotFoundError,
  MissingEnvironmentVariableError,
  AutomatorEnvironmentError,
  AutomatorInvalidArgumentError,
  PageNotFoundError,
  AutomatorClosedError,
  CdpConnectionClosedError,
  ConnectionTimeoutError,
  NavigationError,
  ResponseBodyError,
  ResponseParseError,
  CookieValidationError,
  CookieSetError,
  DownloadError,
  UnsupportedBrowserFeatureError,
  TimeoutError,
  ActTimeoutError,
  ExtractTimeoutError,
  ObserveTimeoutError,
  AgentAbortError,
  MCPConnectionError,
  ExperimentalNotConfiguredError,
  ProtocolError,
};

function codeOf(wanted: Function): string {
  for (let made: unknown = wanted; typeof made === "function"; made = Object.getPrototypeOf(made)) {
    const found = Object.entries(CLASSES).find(([, known]) => known === made);
    if (found !== undefined) return found[0];
  }
  return "AutomatorError";
}

/** What `error.rs` writes. */
interface Told {
  automator: string;
  message: string;
  operation: string | null;
  hint: string | null;
  context: Record<string, string>;
  causes: string[];
  /** The number of what the user's model client has thrown. */
  thrown: number | null;
}

/** The error that the native half has told, as one of the classes; anything else as it is. */
export function rebuilt(error: unknown): unknown {
  // By its shape: in a realm of its own, as Jest and `vm` make them, an error of the native half is no `Error`.
  const message = memberOf(error, "message");
  const told = typeof message === "string" ? toldIn(message) : undefined;
  if (told === undefined) return error;
  const known: Record<string, typeof AutomatorError> = CLASSES;
  const Kind = known[told.automator] ?? AutomatorError;
  let cause: unknown;
  if (told.thrown !== null) {
    cause = takeBack(told.thrown);
  } else {
    for (const message of told.causes.reverse()) {
      cause = new Error(message, cause === undefined ? undefined : { cause });
    }
  }
  const operation = told.operation === null ? undefined : operationName(told.operation);
  const hint = told.hint === null ? undefined : hintText(told.hint);
  const problem = operation === undefined ? told.message : `${operation}: ${told.message}`;
  return new Kind(hint === undefined ? problem : `${problem} (${hint})`, {
    cause,
    operation,
    hint,
    context: told.context,
  });
}

function toldIn(message: string): Told | undefined {
  if (!message.startsWith("{")) return undefined;
  try {
    const told = JSON.parse(message) as Partial<Told>;
    return typeof told.automator === "string" ? (told as Told) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for the native half; its errors become ours. */
export async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw rebuilt(error);
  }
}

/** As {@link answered}, for calls that wait for nothing. */
export function answeredAtOnce<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw rebuilt(error);
  }
}
