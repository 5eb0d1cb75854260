/** File choosers that pages open. */

import { answered } from "./errors";
import { text } from "./json";
import type { NativeEvent } from "./native";
import type { Page } from "./page";

/** @internal Makes one; programs cannot. */
export let makeFileChooser: (page: Page, native: NativeEvent) => FileChooser;

/** A file chooser that a page has opened. No window is shown: the page waits for files, without harm when none come. */
export class FileChooser {
  readonly #page: Page;
  readonly #native: NativeEvent;

  static {
    makeFileChooser = (page, native) => new FileChooser(page, native);
  }

  private constructor(page: Page, native: NativeEvent) {
    this.#page = page;
    this.#native = native;
  }

  /** The page that wants the files. */
  page(): Page {
    return this.#page;
  }

  /** Whether several files may be given. */
  isMultiple(): boolean {
    return (JSON.parse(this.#native.json()) as { isMultiple: boolean }).isMultiple;
  }

  /** Gives it these files; none empties the input. */
  async setFiles(paths: string | string[]): Promise<void> {
    const given = (Array.isArray(paths) ? paths : [paths]).map((path) => text("setFiles: the path", path));
    await answered(() => this.#native.setFiles(given));
  }
}
