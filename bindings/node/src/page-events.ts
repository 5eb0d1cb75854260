/** Who listens to what on a page. */

import { called } from "./callback";
import { type ConsoleMessage, makeConsoleMessage, type ScriptLocation, type ToldMessage } from "./console-message";
import type { Context } from "./context";
import { Dialog, makeDialog } from "./dialog";
import { type Download, makeDownload } from "./download";
import { AutomatorInvalidArgumentError } from "./errors";
import { type FileChooser, makeFileChooser } from "./file-chooser";
import { kindOf } from "./json";
import type { NativeEvent, NativeListening, NativePage } from "./native";
import type { Page } from "./page";

/** Something that a script of a page has thrown and nobody caught. */
export interface PageError {
  message: string;
  stack: string | null;
  location: ScriptLocation;
  /** When, in milliseconds since 1970. */
  timestamp: number;
}

/** The events of a page by name. */
export interface PageEventMap {
  /** A line of the console. */
  console: ConsoleMessage;
  /** A script has thrown something that nobody caught. */
  pageerror: PageError;
  /** A dialog has opened and waits for an answer; see {@link Dialog}. */
  dialog: Dialog;
  /** The page makes the browser save a file. */
  download: Download;
  /** The page wants files. While somebody listens, no chooser of the browser opens. */
  filechooser: FileChooser;
  /** The page has opened another one. */
  popup: Page;
  /** The page is closed. */
  close: Page;
}

type Name = keyof PageEventMap;
type Listener = (event: never) => void;

/** The names of the native half. */
const KINDS: Record<Name, string> = {
  console: "console",
  pageerror: "error",
  dialog: "dialogOpened",
  download: "download",
  filechooser: "fileChooser",
  popup: "popUp",
  close: "closed",
};

interface Entry {
  listener: Listener;
  isOnce: boolean;
}

/** The listeners of a page. Only what somebody listens to is asked of the browser. */
export class PageEvents {
  /** Settles when the browser has heard of all that is listened to; undefined when it has. */
  ready: Promise<void> | undefined;

  readonly #page: Page;
  readonly #context: Context;
  readonly #native: NativePage;
  readonly #entries = new Map<Name, Entry[]>();
  readonly #listening = new Map<Name, NativeListening | "coming">();

  constructor(page: Page, context: Context, native: NativePage) {
    this.#page = page;
    this.#context = context;
    this.#native = native;
  }

  add(name: Name, listener: Listener, isOnce: boolean): void {
    if (!Object.hasOwn(KINDS, name)) {
      const names = Object.keys(KINDS).join(", ");
      throw new AutomatorInvalidArgumentError(`pages have no event ${kindOf(name)}, only ${names}`);
    }
    if (typeof listener !== "function") {
      throw new AutomatorInvalidArgumentError(`a listener must be a function, not ${kindOf(listener)}`);
    }
    const entries = this.#entries.get(name) ?? [];
    entries.push({ listener, isOnce });
    this.#entries.set(name, entries);
    if (!this.#listening.has(name)) this.#listen(name);
  }

  remove(name: Name, listener: Listener): void {
    const entries = this.#entries.get(name) ?? [];
    const index = entries.findIndex((entry) => entry.listener === listener);
    if (index >= 0) entries.splice(index, 1);
    const listening = this.#listening.get(name);
    if (entries.length === 0 && listening !== undefined && listening !== "coming") {
      listening.stop();
      this.#listening.delete(name);
    }
  }

  #listen(name: Name): void {
    this.#listening.set(name, "coming");
    const before = this.ready;
    const listening = this.#native.listen([KINDS[name]], (event) => this.#tell(name, event)).then(
      (started) => {
        if ((this.#entries.get(name) ?? []).length === 0) {
          started.stop();
          this.#listening.delete(name);
        } else {
          this.#listening.set(name, started);
        }
      },
      // The page is closed, so nothing will ever happen on it.
      () => undefined,
    );
    const ready: Promise<void> = Promise.all([before, listening]).then(() => {
      if (this.ready === ready) this.ready = undefined;
    });
    this.ready = ready;
  }

  #tell(name: Name, event: NativeEvent): void {
    const told = this.#event(name, event);
    const calls = [...(this.#entries.get(name) ?? [])].map((entry) => {
      if (entry.isOnce) this.remove(name, entry.listener);
      return called(`a listener of "${name}"`, entry.listener, told as never);
    });
    // A turn later, so that who has awaited the event with `once` can still answer.
    if (told instanceof Dialog) void Promise.all(calls).then(() => setImmediate(() => told.leave()));
  }

  #event(name: Name, event: NativeEvent): unknown {
    switch (name) {
      case "console":
        return makeConsoleMessage(this.#page, JSON.parse(event.json()) as ToldMessage, event);
      case "dialog":
        return makeDialog(this.#page, event);
      case "download": {
        const download = event.download();
        return download === null ? undefined : makeDownload(download);
      }
      case "filechooser":
        return makeFileChooser(this.#page, event);
      case "popup": {
        const page = event.popUp();
        return page === null ? undefined : this.#context.pageOf(page);
      }
      case "close":
        return this.#page;
      default:
        return JSON.parse(event.json());
    }
  }
}
