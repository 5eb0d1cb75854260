/** What a server answered to a navigation. */

import { answered } from "./errors";
import { type Frame, makeFrame } from "./frame";
import { text } from "./json";
import type { NativeResponse } from "./native";
import type { Page } from "./page";

/** How a connection was secured. */
export interface SecurityDetails {
  protocol: string;
  subjectName: string;
  issuer: string;
  /** From when on the certificate holds, in seconds since 1970. */
  validFrom: number;
  /** How long it holds, in seconds since 1970. */
  validTo: number;
}

interface Head {
  url: string;
  status: number;
  statusText: string;
  ok: boolean;
  headers: Record<string, string>;
  mimeType: string;
  fromServiceWorker: boolean;
  securityDetails: SecurityDetails | null;
  serverAddr: { ipAddress: string; port: number } | null;
}

/** @internal Makes one; programs cannot. */
export let makeResponse: (page: Page, native: NativeResponse) => Response;

/** The response of a main document. */
export class Response {
  readonly #page: Page;
  readonly #native: NativeResponse;
  readonly #head: Head;

  static {
    makeResponse = (page, native) => new Response(page, native);
  }

  private constructor(page: Page, native: NativeResponse) {
    this.#page = page;
    this.#native = native;
    this.#head = JSON.parse(native.head()) as Head;
  }

  /** The address it came from, after redirects. */
  url(): string {
    return this.#head.url;
  }

  /** The HTTP status. */
  status(): number {
    return this.#head.status;
  }

  /** The text behind the status. */
  statusText(): string {
    return this.#head.statusText;
  }

  /** Whether the status is between 200 and 299. */
  ok(): boolean {
    return this.#head.ok;
  }

  /** The headers by lower-case name, without those of cookies. */
  headers(): Record<string, string> {
    return { ...this.#head.headers };
  }

  /** All headers as they came over the network, by lower-case name. */
  async allHeaders(): Promise<Record<string, string>> {
    return JSON.parse(await answered(() => this.#native.allHeaders())) as Record<string, string>;
  }

  /** The value of a header, its name in any case. */
  async headerValue(name: string): Promise<string | null> {
    return (await answered(() => this.#native.headerValue(text("headerValue: the name", name)))) ?? null;
  }

  /** The values of all headers of a name, in any case. */
  headerValues(name: string): Promise<string[]> {
    return answered(async () => await this.#native.headerValues(text("headerValues: the name", name)));
  }

  /** All headers one by one, the names as the server wrote them. */
  async headersArray(): Promise<{ name: string; value: string }[]> {
    const pairs = JSON.parse(await answered(() => this.#native.headersArray())) as [string, string][];
    return pairs.map(([name, value]) => ({ name, value }));
  }

  /** The type of the body, as `text/html`. */
  mimeType(): string {
    return this.#head.mimeType;
  }

  /** Whether a service worker of the page answered. */
  fromServiceWorker(): boolean {
    return this.#head.fromServiceWorker;
  }

  /** The frame whose document it is. */
  frame(): Frame {
    return makeFrame(this.#page, this.#native.frame());
  }

  /** How the connection was secured; null when it was not. */
  async securityDetails(): Promise<SecurityDetails | null> {
    return this.#head.securityDetails;
  }

  /** Which server answered; null when it did not come over the network. */
  async serverAddr(): Promise<{ ipAddress: string; port: number } | null> {
    return this.#head.serverAddr;
  }

  /** Waits until the body has come as a whole; null when it has, else what went wrong. */
  async finished(): Promise<Error | null> {
    try {
      await answered(() => this.#native.finished());
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  /** The body, once it has come as a whole. */
  body(): Promise<Buffer> {
    return answered(() => this.#native.body());
  }

  /** The body as text. */
  text(): Promise<string> {
    return answered(() => this.#native.text());
  }

  /**
   * The body as JSON.
   *
   * @throws ResponseParseError when it is none.
   */
  async json<T = unknown>(): Promise<T> {
    return JSON.parse(await answered(() => this.#native.json())) as T;
  }
}
