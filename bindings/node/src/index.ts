/**
 * Drive a web browser with the help of a language model.
 *
 * @packageDocumentation
 */

export type { Action, ActResult } from "./action";
export type { AgentInstance, StreamingAgentInstance } from "./agent";
export { tool } from "./agent-options";
export type {
  AgentCallbacks,
  AgentConfig,
  AgentConfirmRequest,
  AgentExecuteOptions,
  AgentMessage,
  AgentMode,
  AgentIntegration,
  AgentTool,
  AgentToolContext,
  ToolInput,
} from "./agent-options";
export type {
  AgentAction,
  AgentChunk,
  AgentEvent,
  AgentResult,
  AgentStep,
  AgentStreamResult,
  AgentToolCall,
  AgentToolResult,
  AgentUsage,
} from "./agent-result";
export { Automator } from "./automator";
export type { Extraction, PageText, Source, WithProvenance } from "./automator";
export { ConsoleMessage } from "./console-message";
export type { ConsoleArgument, ScriptLocation, ToldMessage } from "./console-message";
export { Context } from "./context";
export type { DomainPolicy, V3Context } from "./context";
export type { Cookie, CookieFilter, NewCookie } from "./cookies";
export { Dialog } from "./dialog";
export type { DialogType, ReportedDialog } from "./dialog";
export { Download } from "./download";
export {
  ActTimeoutError,
  AgentAbortError,
  AutomatorClickError,
  AutomatorClosedError,
  AutomatorDomProcessError,
  AutomatorElementNotFoundError,
  AutomatorEnvironmentError,
  AutomatorError,
  AutomatorEvalError,
  AutomatorIframeError,
  AutomatorInitError,
  AutomatorInvalidArgumentError,
  AutomatorLocatorError,
  AutomatorNotInitializedError,
  AutomatorShadowRootMissingError,
  AutomatorSnapshotError,
  CdpConnectionClosedError,
  ConnectionTimeoutError,
  ContentFrameNotFoundError,
  CookieSetError,
  CookieValidationError,
  DownloadError,
  ElementNotVisibleError,
  ExperimentalNotConfiguredError,
  ExtractTimeoutError,
  InvalidAISDKModelFormatError,
  LLMResponseError,
  MCPConnectionError,
  MissingEnvironmentVariableError,
  MissingLLMConfigurationError,
  NavigationError,
  ObserveTimeoutError,
  PageNotFoundError,
  ProtocolError,
  RemoteSessionNotFoundError,
  ResponseBodyError,
  ResponseParseError,
  SchemaValidationError,
  TimeoutError,
  UnsupportedBrowserFeatureError,
  UnsupportedModelError,
  XPathResolutionError,
} from "./errors";
export type { ErrorDetails } from "./errors";
export type { PageFunction } from "./evaluate";
export { FileChooser } from "./file-chooser";
export type { ForeignPage, PlaywrightPage, PuppeteerPage } from "./foreign-page";
export { Frame } from "./frame";
export type { InitScript } from "./init-script";
export type { LLMClient, LLMContent, LLMReply, LLMRequest, LLMTokens } from "./llm-client";
export { FrameLocator, Locator } from "./locator";
export type {
  BoundingBox,
  ElementClickOptions,
  ElementDragOptions,
  ElementPosition,
  ElementTypeOptions,
  FilePayload,
  FillOptions,
  HighlightOptions,
  PointerOptions,
  SendClickOptions,
} from "./locator";
export type { LogLine } from "./log-line";
export type {
  ActOptions,
  AnyPage,
  AutomatorOptions,
  CloseOptions,
  ExtractOptions,
  LocalBrowserLaunchOptions,
  ModelConfiguration,
  ObserveOptions,
  ProxyOptions,
  V3Options,
  Variable,
} from "./options";
export { Page } from "./page";
export type { PageExtractOptions } from "./page";
export type { PageError, PageEventMap } from "./page-events";
export type {
  ClickOptions,
  DragOptions,
  GotoOptions,
  KeyPressOptions,
  Modifier,
  PointOptions,
  ReloadOptions,
  ScreenshotOptions,
  SelectorWaitOptions,
  Snapshot,
  SnapshotOptions,
  TypingOptions,
  ViewportSizeOptions,
  WaitUntil,
} from "./page-options";
export type { AutomatorMetrics, HistoryEntry } from "./records";
export { Response } from "./response";
export type { SecurityDetails } from "./response";
export type { Infer, JsonSchema, ObjectSchema, Schema, StandardIssue, StandardResult, StandardSchema, Zod3Schema } from "./schema";
