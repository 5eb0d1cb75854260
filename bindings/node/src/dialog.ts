/** Dialogs that pages open. */

import { answered } from "./errors";
import { text } from "./json";
import type { NativeEvent } from "./native";
import type { Page } from "./page";

/** The kinds of dialogs. */
export type DialogType = "alert" | "confirm" | "prompt" | "beforeunload";

/** What the native half tells of a dialog. */
interface ToldDialog {
  type: DialogType;
  message: string;
  defaultValue: string | null;
  url: string;
}

/** @internal Makes one; programs cannot. */
export let makeDialog: (page: Page, native: NativeEvent) => Dialog;

/**
 * A dialog that a page has opened. The page stands still until it is answered; the first answer counts. When all
 * listeners, and the promises they return, are through without an answer, and in any case after 10 s, `alert` and
 * `beforeunload` are accepted and the others dismissed.
 */
export class Dialog {
  readonly #page: Page;
  readonly #native: NativeEvent;
  readonly #told: ToldDialog;
  #isDecided = false;

  static {
    makeDialog = (page, native) => new Dialog(page, native);
  }

  private constructor(page: Page, native: NativeEvent) {
    this.#page = page;
    this.#native = native;
    this.#told = JSON.parse(native.json()) as ToldDialog;
  }

  /** What kind of dialog it is. */
  type(): DialogType {
    return this.#told.type;
  }

  /** What it says. */
  message(): string {
    return this.#told.message;
  }

  /** What a prompt offers as an answer; empty for the others. */
  defaultValue(): string {
    return this.#told.defaultValue ?? "";
  }

  /** The address of the frame that opened it. */
  url(): string {
    return this.#told.url;
  }

  /** The page that opened it. */
  page(): Page {
    return this.#page;
  }

  /**
   * Accepts it; a prompt with this text, or with what it offers. Returns when it has gone.
   *
   * @throws AutomatorClosedError when it has been answered already.
   */
  async accept(promptText?: string): Promise<void> {
    const given = promptText === undefined ? null : text("accept: the text", promptText);
    this.#isDecided = true;
    await answered(() => this.#native.acceptDialog(given));
  }

  /**
   * Dismisses it. Returns when it has gone.
   *
   * @throws AutomatorClosedError when it has been answered already.
   */
  async dismiss(): Promise<void> {
    this.#isDecided = true;
    await answered(() => this.#native.dismissDialog());
  }

  /** @internal Leaves it to the policy, unless an answer is on its way. */
  leave(): void {
    if (!this.#isDecided) this.#native.leaveDialog();
  }
}

/** A dialog that has been answered, by a listener or not. */
export interface ReportedDialog extends ToldDialog {
  /** Whether it was accepted, and not dismissed. */
  accepted: boolean;
  /** The text that a prompt was answered with. */
  answer: string | null;
  /** The target id of the page that opened it. */
  pageId: string;
}
