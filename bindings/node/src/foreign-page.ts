/** Pages of other libraries that work with the same browser; they are found by their target id. */

import { AutomatorInvalidArgumentError, PageNotFoundError } from "./errors";
import { kindOf } from "./json";
import { memberOf, wordsOf } from "./thrown";

interface DevToolsSession {
  send(method: "Target.getTargetInfo"): Promise<unknown>;
  detach(): Promise<unknown>;
}

/** A page of Playwright or Patchright. */
export interface PlaywrightPage {
  context(): unknown;
  url(): string;
}

/** A page of Puppeteer. */
export interface PuppeteerPage {
  createCDPSession(): Promise<unknown>;
  url(): string;
}

/** A page of another library. */
export type ForeignPage = PlaywrightPage | PuppeteerPage;

/** The target id of such a page. */
export async function targetIdOf(page: unknown): Promise<string> {
  const open = opener(page);
  if (open === undefined) throw noPage(page);
  let answer: unknown;
  try {
    const session = (await open()) as Partial<DevToolsSession> | null | undefined;
    if (typeof session?.send !== "function") throw noPage(page);
    try {
      answer = await session.send("Target.getTargetInfo");
    } finally {
      await Promise.resolve(session.detach?.()).catch(() => undefined);
    }
  } catch (error) {
    if (error instanceof AutomatorInvalidArgumentError) throw error;
    throw new PageNotFoundError(`options.page is closed, or cannot be reached: ${wordsOf(error)}`, { cause: error });
  }
  const id = memberOf(memberOf(answer, "targetInfo"), "targetId");
  if (typeof id !== "string") throw noPage(page);
  return id;
}

function noPage(page: unknown): AutomatorInvalidArgumentError {
  return new AutomatorInvalidArgumentError(
    `options.page must be a page of this session, or of Playwright, Puppeteer or Patchright, not ${kindOf(page)}`,
  );
}

/** How a page opens a session of the DevTools protocol; undefined for what is no page. */
function opener(page: unknown): (() => Promise<unknown>) | undefined {
  if (typeof page !== "object" || page === null) return undefined;
  const puppeteer = page as PuppeteerPage;
  if (typeof memberOf(page, "createCDPSession") === "function") return () => puppeteer.createCDPSession();
  if (typeof memberOf(page, "context") !== "function") return undefined;
  return async () => {
    const context = (page as PlaywrightPage).context() as { newCDPSession?: (page: unknown) => Promise<unknown> } | null;
    if (typeof context?.newCDPSession !== "function") throw noPage(page);
    return await context.newCDPSession(page);
  };
}
