/** Files that the browser saves. */

import { answered } from "./errors";
import type { NativeDownload } from "./native";

/** @internal Makes one; programs cannot. */
export let makeDownload: (native: NativeDownload) => Download;

/** A file that was, or is being, saved. */
export class Download {
  readonly #native: NativeDownload;

  static {
    makeDownload = (native) => new Download(native);
  }

  private constructor(native: NativeDownload) {
    this.#native = native;
  }

  /** Where it comes from. */
  url(): string {
    return this.#native.url();
  }

  /** The name that the server or the page gives it. */
  suggestedFilename(): string {
    return this.#native.suggestedFilename();
  }

  /** How far it has come. */
  state(): "inProgress" | "completed" | "canceled" | "denied" {
    return this.#native.state() as ReturnType<Download["state"]>;
  }

  /** Where it is, once it is complete; in a remote session, once {@link finished} has brought it here. */
  path(): string | undefined {
    return this.#native.path() ?? undefined;
  }

  /**
   * Waits until it is complete, and gives its path. From a remote session it is brought to this machine.
   *
   * @throws DownloadError when it fails, is canceled or refused, or the platform does not hand it over.
   */
  finished(): Promise<string> {
    return answered(() => this.#native.finished());
  }

  /** Stops it. */
  cancel(): Promise<void> {
    return answered(() => this.#native.cancel());
  }
}
