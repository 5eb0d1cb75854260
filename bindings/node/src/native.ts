/** The native half: what `lib.rs` and its modules hand over. Values are JSON text on both ways, page texts are themselves. */

import { AutomatorInitError } from "./errors";
import { nativeFile } from "./platform";
import { wordsOf } from "./thrown";

export interface NativeSession {
  init(): Promise<void>;
  close(options: string | null): Promise<void>;
  context(): NativeContext;
  connectUrl(): string;
  act(instruction: string | null, action: string | null, options: string, page: string | null): Promise<string>;
  observe(instruction: string, options: string, page: string | null): Promise<string>;
  extract(instruction: string, schema: string | null, options: string, page: string | null): Promise<string>;
  extractWithProvenance(
    instruction: string,
    schema: string | null,
    options: string,
    page: string | null,
  ): Promise<string>;
  pageText(options: string, page: string | null): Promise<{ pageText: string; cacheStatus?: string }>;
  agent(
    config: string,
    tools: NativeToolTraits[],
    calling: ((request: string) => Promise<string>) | null,
  ): NativeAgent;
  remoteSessionId(): string | null;
  remoteSessionUrl(): string | null;
  remoteDebugUrl(): string | null;
  metrics(): string;
  history(): string;
}

export interface NativeClientTraits {
  modelName: string;
  acceptsImages?: boolean | undefined;
  contextWindow?: number | undefined;
}

export interface NativeToolTraits {
  name: string;
  description: string;
  parameters: string;
}

export interface NativeAgent {
  execute(
    options: string,
    page: string | null,
    listener: ((event: string) => void) | null,
    confirm: ((request: string) => Promise<string>) | null,
    hasSignal: boolean,
  ): NativeAgentRun;
}

export interface NativeAgentRun {
  abort(reason: string): void;
  result(): Promise<string>;
}

export interface NativeContext {
  pages(): NativePage[];
  activePage(): NativePage | null;
  awaitActivePage(): Promise<NativePage | null>;
  setActivePage(page: NativePage): void;
  newPage(url: string): Promise<NativePage>;
  addInitScript(script: string): Promise<void>;
  setExtraHttpHeaders(headers: string): Promise<void>;
  setDomainPolicy(policy: string | null): Promise<void>;
  cookies(urls: string[]): Promise<string>;
  addCookies(cookies: string[]): Promise<void>;
  clearCookies(filter: string | null): Promise<void>;
  downloads(): NativeDownload[];
  dialogs(): string;
  readClipboard(): Promise<string>;
  writeClipboard(text: string): Promise<void>;
  sendCDP(method: string, params: string): Promise<string>;
}

export interface NativePage {
  id(): string;
  url(): string;
  title(): Promise<string>;
  isClosed(): boolean;
  opener(): NativePage | null;
  close(): Promise<void>;
  locator(selector: string): NativeLocator;
  deepLocator(selector: string): NativeLocator;
  frameLocator(selector: string): NativeFrameLocator;
  mainFrame(): NativeFrame;
  frames(): NativeFrame[];
  goto(url: string, options: string | null): Promise<NativeResponse | null>;
  reload(options: string | null): Promise<NativeResponse | null>;
  goBack(options: string | null): Promise<NativeResponse | null>;
  goForward(options: string | null): Promise<NativeResponse | null>;
  waitForLoadState(state: string, timeoutMs: number | null): Promise<void>;
  waitForTimeout(durationMs: number): Promise<void>;
  waitForSelector(selector: string, options: string | null): Promise<void>;
  evaluate(source: string, argument: string | null): Promise<string>;
  screenshot(options: string | null): Promise<Buffer>;
  setViewportSize(width: number, height: number, options: string | null): Promise<void>;
  click(x: number, y: number, options: string | null): Promise<string>;
  hover(x: number, y: number, options: string | null): Promise<string>;
  tap(x: number, y: number, options: string | null): Promise<string>;
  scroll(x: number, y: number, deltaX: number, deltaY: number, options: string | null): Promise<string>;
  dragAndDrop(fromX: number, fromY: number, toX: number, toY: number, options: string | null): Promise<string[]>;
  type(text: string, options: string | null): Promise<void>;
  press(key: string, options: string | null): Promise<void>;
  snapshot(options: string): Promise<{ formattedTree: string; maps: string }>;
  addInitScript(script: string): Promise<void>;
  setExtraHttpHeaders(headers: string): Promise<void>;
  sendCDP(method: string, params: string): Promise<string>;
  extract(options: string): Promise<{ pageText?: string; answer?: string }>;
  listen(kinds: string[], listener: (event: NativeEvent) => void): Promise<NativeListening>;
}

export interface NativeListening {
  stop(): void;
}

export interface NativeEvent {
  kind(): string;
  json(): string;
  download(): NativeDownload | null;
  popUp(): NativePage | null;
  acceptDialog(text: string | null): Promise<void>;
  dismissDialog(): Promise<void>;
  leaveDialog(): void;
  setFiles(paths: string[]): Promise<void>;
}

export interface NativeDownload {
  url(): string;
  suggestedFilename(): string;
  state(): string;
  path(): string | null;
  finished(): Promise<string>;
  cancel(): Promise<void>;
}

export interface NativeFrame {
  id(): string;
  parent(): NativeFrame | null;
  url(): string;
  name(): string;
  locator(selector: string): NativeLocator;
  deepLocator(selector: string): NativeLocator;
  frameLocator(selector: string): NativeFrameLocator;
  evaluate(source: string, argument: string | null): Promise<string>;
}

export interface NativeFrameLocator {
  locator(selector: string): NativeLocator;
  frameLocator(selector: string): NativeFrameLocator;
}

export interface NativePayload {
  name: string;
  mimeType: string;
  buffer: Buffer;
  lastModified?: number | undefined;
}

export interface NativeLocator {
  nth(index: number): NativeLocator;
  click(options: string | null): Promise<void>;
  doubleClick(): Promise<void>;
  hover(options: string | null): Promise<void>;
  tap(): Promise<void>;
  setChecked(isOn: boolean): Promise<void>;
  fill(text: string, options: string | null): Promise<void>;
  type(text: string, options: string | null): Promise<void>;
  press(key: string): Promise<void>;
  focus(): Promise<void>;
  selectOption(choices: string[]): Promise<string[]>;
  setInputFiles(paths: string[]): Promise<void>;
  setInputPayloads(files: NativePayload[]): Promise<void>;
  dragTo(target: NativeLocator, options: string | null): Promise<void>;
  scrollTo(percent: number): Promise<void>;
  scrollBy(across: number, down: number): Promise<void>;
  scrollIntoView(): Promise<void>;
  sendClickEvent(options: string | null): Promise<void>;
  highlight(options: string | null): Promise<void>;
  waitFor(options: string | null): Promise<void>;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
  isChecked(): Promise<boolean>;
  inputValue(): Promise<string>;
  textContent(): Promise<string>;
  innerText(): Promise<string>;
  innerHtml(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  boundingBox(): Promise<string>;
  centroid(): Promise<number[]>;
  backendNodeId(): Promise<number>;
}

export interface NativeResponse {
  head(): string;
  allHeaders(): Promise<string>;
  headerValue(name: string): Promise<string | null>;
  headerValues(name: string): Promise<string[]>;
  headersArray(): Promise<string>;
  frame(): NativeFrame;
  finished(): Promise<void>;
  body(): Promise<Buffer>;
  text(): Promise<string>;
  json(): Promise<string>;
}

interface Native {
  NativeSession: new (
    options: string,
    logger: ((line: string) => void) | null,
    client: NativeClientTraits | null,
    answer: ((request: string) => Promise<string>) | null,
  ) => NativeSession;
}

let loaded: Native | undefined;

/** The native half for this computer. It is loaded with the first session, so that importing costs nothing. */
export function native(): Native {
  if (loaded === undefined) {
    const file = nativeFile();
    try {
      loaded = require(file) as Native;
    } catch (error) {
      throw new AutomatorInitError(`the native part ${file} could not be loaded: ${wordsOf(error)}`, { cause: error });
    }
  }
  return loaded;
}
