/** Options of sessions and of the operations with a model. What they mean is decided in the core. */

import type { ForeignPage } from "./foreign-page";
import type { LLMClient } from "./llm-client";
import type { LogLine } from "./log-line";
import type { Page } from "./page";

/** The model: `provider/model`, or an object with its options. */
export type ModelConfiguration =
  | string
  | {
      /** The model, as `provider/model`. */
      modelName: string;
      /** The provider's key. Default: the environment variable `<PROVIDER>_API_KEY`. */
      apiKey?: string | undefined;
      /** The address of an endpoint of one's own. */
      baseURL?: string | undefined;
      /** How many tokens prompt and answer may have together, for models that are not known. */
      contextWindow?: number | undefined;
      /** Options of the provider. */
      [option: string]: unknown;
    };

/** Options of a session. */
export interface AutomatorOptions {
  /** Where the browser runs. */
  env: "LOCAL" | "REMOTE";
  /** Key of the remote platform. Default: the environment variable `REMOTE_API_KEY`. */
  apiKey?: string | undefined;
  /** Resumes an existing remote session instead of creating one. */
  remoteSessionID?: string | undefined;
  /**
   * Where the remote platform is: its HTTP address, or the WebSocket address of a browser. Default: the environment
   * variable `REMOTE_BASE_URL`, else `http://127.0.0.1:4800`, where `automator serve` listens.
   */
  remoteBaseURL?: string | undefined;
  /**
   * What is spoken there: the interface of `automator serve`, the hosted platform's two services (`REMOTE_BASE_URL` and
   * `REMOTE_API_URL`), or the DevTools protocol of one browser. Default: `automator`, and `cdp` for a WebSocket address.
   */
  remotePlatform?: "automator" | "hosted" | "cdp" | undefined;
  /** Extra parameters for the creation of a remote session. */
  remoteSessionCreateParams?: Record<string, unknown> | undefined;
  /** How the local browser is started or attached to. */
  localBrowserLaunchOptions?: LocalBrowserLaunchOptions | undefined;
  /** The model for all operations. Default: `openai/gpt-4.1-mini`. */
  model?: ModelConfiguration | undefined;
  /** A client that is used instead of the model's. */
  llmClient?: LLMClient | undefined;
  /** Instructions that are part of every prompt. */
  systemPrompt?: string | undefined;
  /** Whether actions may recover from failures. Default: true. */
  selfHeal?: boolean | undefined;
  /** Accepts features that may change between versions without notice. Default: false. */
  experimental?: boolean | undefined;
  /** How long the page may take to come to rest, in milliseconds. Default: 30000. */
  domSettleTimeout?: number | undefined;
  /** The folder in which actions and extractions are remembered. Default: none. */
  cacheDir?: string | undefined;
  /**
   * Leaves the browser running after `close()` and after the end of the program. Default: false. When it is given, it
   * counts instead of `remoteSessionCreateParams.keepAlive`.
   */
  keepAlive?: boolean | undefined;
  /** Whether the remote platform answers repeated calls from its cache. Default: true. No effect locally. */
  serverCache?: boolean | undefined;
  /**
   * How much is logged: 0 what went wrong, 1 what is done, 2 everything. Default: 1. Lines go to `logger`; without one
   * they go to the standard error output when 1 or 2 is given here, and nowhere otherwise.
   */
  verbose?: 0 | 1 | 2 | undefined;
  /** Writes what goes to and comes from models into `./inference_summary`. Default: false. */
  logInferenceToFile?: boolean | undefined;
  /** Keeps the log away from the standard error output, whatever `verbose` is. Default: false. */
  disableLogBackend?: boolean | undefined;
  /** Receives every log line up to `verbose`. One that throws harms nothing. */
  logger?: ((line: LogLine) => void) | undefined;
}

/** The name of the options in the interface description. */
export type V3Options = AutomatorOptions;

/** The proxy of a browser. */
export interface ProxyOptions {
  /** Its address, such as `http://proxy:8080`. */
  server: string;
  /** Hosts that are reached without it, separated by commas. */
  bypass?: string | undefined;
  /** The name that it asks for. */
  username?: string | undefined;
  /** The password that it asks for. */
  password?: string | undefined;
}

/** How the local browser is started, or attached to. */
export interface LocalBrowserLaunchOptions {
  /** Runs without a window. Default: true. */
  headless?: boolean | undefined;
  /** The browser's executable. Default: a Chromium that is found. */
  executablePath?: string | undefined;
  /** The port of the DevTools protocol. Default: a free one. */
  port?: number | undefined;
  /** Arguments that come after those of the library. */
  args?: string[] | undefined;
  /** Which default arguments to leave out: `true` for all, or a list of exact arguments. Default: false. */
  ignoreDefaultArgs?: boolean | string[] | undefined;
  /** The profile folder, made when it is missing and kept. Default: a temporary one. */
  userDataDir?: string | undefined;
  /** Keeps a temporary profile. Default: false. */
  preserveUserDataDir?: boolean | undefined;
  /** The size of every page. Default: 1288 × 711 CSS pixels. */
  viewport?: { width: number; height: number } | undefined;
  /** Device pixels per CSS pixel. Default: the browser's own. */
  deviceScaleFactor?: number | undefined;
  /** Whether pages see a touch screen. Default: false. */
  hasTouch?: boolean | undefined;
  /** Opens DevTools for each tab. Default: false. */
  devtools?: boolean | undefined;
  /** The proxy for all traffic. Default: none. */
  proxy?: ProxyOptions | undefined;
  /** Accepts any certificate. Default: false. */
  ignoreHTTPSErrors?: boolean | undefined;
  /** The language of pages and requests, such as `de-DE`. Default: the browser's own. */
  locale?: string | undefined;
  /** Whether downloads are saved. Default: true. */
  acceptDownloads?: boolean | undefined;
  /**
   * Where downloads are saved. Default: a temporary folder that goes with the browser. For `REMOTE`: where `finished()`
   * brings them; by default to a temporary folder that goes with the session.
   */
  downloadsPath?: string | undefined;
  /** Whether Chromium's own sandbox is on. Default: on, unless it cannot be. */
  chromiumSandbox?: boolean | undefined;
  /** Attaches to a running browser: its WebSocket address, or the HTTP address of its port. */
  cdpUrl?: string | undefined;
  /** Headers for the requests to `cdpUrl`. */
  cdpHeaders?: Record<string, string> | undefined;
  /** How long to wait for the browser, in milliseconds. Default: 15000 to attach, 30000 to start one. */
  connectTimeoutMs?: number | undefined;
}

/** A page of ours, or one of Playwright, Puppeteer or Patchright in the same browser. */
export type AnyPage = Page | ForeignPage;

/** Options of one `extract()` call. */
export interface ExtractOptions {
  /** The model of this call. Default: that of the session. */
  model?: ModelConfiguration | undefined;
  /** The limit of time in milliseconds; 0 is none. Default: 120000. */
  timeout?: number | undefined;
  /**
   * Limits the extraction to one part of the page: a CSS selector, or an XPath, bare or with `xpath=`; `>>` leads
   * into a frame or a shadow root. One that matches nothing is an error. Default: the whole page.
   */
  selector?: string | undefined;
  /** Selectors whose elements are left out with all that is below them. */
  ignoreSelectors?: string[] | undefined;
  /** Sends a PNG of the viewport with the page text. Default: false. */
  screenshot?: boolean | undefined;
  /** The page. Default: the active one. */
  page?: AnyPage | undefined;
  /** Overrides the session's setting. No effect locally. */
  serverCache?: boolean | undefined;
}

/** A value for one `%name%`, with what the model is told about it. */
export type Variable = string | number | boolean | { value: string | number | boolean; description?: string | undefined };

/** Options of one `act()` call. */
export interface ActOptions {
  /** The model of this call. Default: that of the session. */
  model?: ModelConfiguration | undefined;
  /**
   * Values for `%name%` in the instruction and in arguments. The model is told the names, never a value. Values of
   * fewer than 3 characters are not masked where pages show them.
   */
  variables?: Record<string, Variable> | undefined;
  /** The limit of time for all of it in milliseconds; 0 is none. Default: 60000. */
  timeout?: number | undefined;
  /** The page. Default: the active one. */
  page?: AnyPage | undefined;
  /** Overrides the session's setting. No effect locally. */
  serverCache?: boolean | undefined;
}

/** Options of one `observe()` call. */
export interface ObserveOptions extends ActOptions {
  /** Limits the search to one part of the page. Default: the whole page. */
  selector?: string | undefined;
  /** Selectors whose elements are left out with all that is below them. */
  ignoreSelectors?: string[] | undefined;
}

/** How a session is closed. */
export interface CloseOptions {
  /** Cuts the browser off instead of asking it to end, also while another close is under way. Default: false. */
  force?: boolean | undefined;
}
