/** The pages of a session, and what holds for all of them. */

import type { Automator } from "./automator";
import type { Cookie, CookieFilter, NewCookie } from "./cookies";
import { filterText } from "./cookies";
import type { ReportedDialog } from "./dialog";
import { type Download, makeDownload } from "./download";
import { answered, AutomatorInvalidArgumentError } from "./errors";
import { headersText } from "./headers";
import { type InitScript, initScriptText } from "./init-script";
import { kindOf, optionsText, text, valueText } from "./json";
import type { NativeContext, NativePage } from "./native";
import { makePage, nativeOf, Page } from "./page";

/** Which hosts documents may come from. */
export interface DomainPolicy {
  /** The only hosts that are allowed. Default: all. */
  allowedDomains?: string[] | undefined;
  /** Hosts that are not allowed. Default: none. */
  blockedDomains?: string[] | undefined;
  /** Whether the only hosts that are allowed are so for every request, not for documents alone. Default: false. */
  allRequests?: boolean | undefined;
}

/** @internal Makes one; programs cannot. */
export let makeContext: (session: Automator, native: NativeContext) => Context;

/** The set of pages. */
export class Context {
  readonly #session: Automator;
  readonly #native: NativeContext;
  /** One object a page, for as long as somebody has it. */
  readonly #pages = new Map<string, WeakRef<Page>>();

  static {
    makeContext = (session, native) => new Context(session, native);
  }

  private constructor(session: Automator, native: NativeContext) {
    this.#session = session;
    this.#native = native;
  }

  /** All open pages, the oldest first. */
  pages(): Page[] {
    const pages = this.#native.pages().map((page) => this.pageOf(page));
    const open = new Set(pages.map((page) => page.targetId()));
    for (const [id, page] of this.#pages) {
      if (!open.has(id) && page.deref() === undefined) this.#pages.delete(id);
    }
    return pages;
  }

  /** The page that operations work on: the one made or selected last that is still open. */
  activePage(): Page | undefined {
    const page = this.#native.activePage();
    return page === null ? undefined : this.pageOf(page);
  }

  /** The active page, once a page that is just being opened has come. */
  async awaitActivePage(): Promise<Page | undefined> {
    const page = await answered(() => this.#native.awaitActivePage());
    return page === null ? undefined : this.pageOf(page);
  }

  /** Makes a page the active one. One that is closed is left out of account. */
  setActivePage(page: Page): void {
    if (!(page instanceof Page)) {
      throw new AutomatorInvalidArgumentError(`setActivePage takes a page of this session, not ${kindOf(page)}`);
    }
    this.#native.setActivePage(nativeOf(page));
  }

  /** Opens a page, which becomes the active one, and begins to load `url` without waiting for it. */
  async newPage(url = "about:blank"): Promise<Page> {
    return this.pageOf(await answered(() => this.#native.newPage(text("newPage: url", url))));
  }

  /**
   * Adds a script to every page: those that are open (from their next document on), later ones and pop-ups, with
   * all their frames. It runs once in each document, before the page's own scripts.
   */
  async addInitScript<Argument = unknown>(script: InitScript<Argument>, argument?: Argument): Promise<void> {
    const given = initScriptText(script, argument);
    await answered(() => this.#native.addInitScript(given));
  }

  /** Sends these headers with every request of every page, in place of the set given before. */
  async setExtraHTTPHeaders(headers: Record<string, string>): Promise<void> {
    const given = headersText(headers);
    await answered(() => this.#native.setExtraHttpHeaders(given));
  }

  /** Sets which hosts documents may come from, in place of the policy before; `null` ends it. */
  async setDomainPolicy(policy: DomainPolicy | null): Promise<void> {
    const given = policy === null ? null : optionsText("policy", policy);
    await answered(() => this.#native.setDomainPolicy(given));
  }

  /** The cookies that a request to one of these addresses would carry; without any address, all. */
  async cookies(urls: string | string[] = []): Promise<Cookie[]> {
    const given = (Array.isArray(urls) ? urls : [urls]).map((url) => text("cookies: url", url));
    return JSON.parse(await answered(() => this.#native.cookies(given))) as Cookie[];
  }

  /**
   * Sets cookies. All are checked before the first one is set.
   *
   * @throws CookieValidationError when one contradicts itself, CookieSetError when the browser refuses one.
   */
  async addCookies(cookies: NewCookie[]): Promise<void> {
    if (!Array.isArray(cookies)) {
      throw new AutomatorInvalidArgumentError(`addCookies takes a list, not ${kindOf(cookies)}`);
    }
    const given = cookies.map((cookie) => valueText("cookie", cookie));
    await answered(() => this.#native.addCookies(given));
  }

  /** Removes the cookies that match every member of the filter; without one, all. */
  async clearCookies(filter?: CookieFilter): Promise<void> {
    const given = filter === undefined || filter === null ? null : filterText(filter);
    await answered(() => this.#native.clearCookies(given));
  }

  /** The clipboard as the active page reaches it. */
  readonly clipboard = {
    /** The text that is in it. */
    readText: async (): Promise<string> => await answered(() => this.#native.readClipboard()),
    /** Puts a text into it. */
    writeText: async (content: string): Promise<void> => {
      await answered(() => this.#native.writeClipboard(text("writeText: the text", content)));
    },
  };

  /** The files that pages made the browser save, the oldest first. */
  downloads(): Download[] {
    return this.#native.downloads().map((download) => makeDownload(download));
  }

  /** The dialogs that pages have opened, with their answers, the oldest first. The last 1,000 are kept. */
  dialogs(): ReportedDialog[] {
    return JSON.parse(this.#native.dialogs()) as ReportedDialog[];
  }

  /** Sends any DevTools command to the browser itself. */
  async sendCDP<Answer = unknown>(method: string, params: object = {}): Promise<Answer> {
    const given = valueText("params", params);
    return JSON.parse(await answered(() => this.#native.sendCDP(text("method", method), given))) as Answer;
  }

  /** @internal The one object for a page. */
  pageOf(native: NativePage): Page {
    const id = native.id();
    const known = this.#pages.get(id)?.deref();
    // A remote page that was lost with its connection comes back with another one.
    if (known !== undefined && (!known.isClosed() || native.isClosed())) return known;
    const page = makePage(this.#session, this, native);
    this.#pages.set(id, new WeakRef(page));
    return page;
  }
}

/** The name of the context in the interface description. */
export type V3Context = Context;
