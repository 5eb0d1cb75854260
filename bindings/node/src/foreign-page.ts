/** Pages of other libraries that work with the same browser; they are found by their target id. */

import { AutomatorInvalidArgumentError } from "./errors";
import { kindOf } from "./json";

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
  const session = await sessionOf(page);
  if (session === undefined) {
    throw new AutomatorInvalidArgumentError(
      `options.page must be a page of this session, or of Playwright, Puppeteer or Patchright, not ${kindOf(page)}`,
    );
  }
  try {
    const { targetInfo } = (await session.send("Target.getTargetInfo")) as { targetInfo: { targetId: string } };
    return targetInfo.targetId;
  } finally {
    await session.detach().catch(() => undefined);
  }
}

async function sessionOf(page: unknown): Promise<DevToolsSession | undefined> {
  if (typeof page !== "object" || page === null) return undefined;
  const puppeteer = page as Partial<PuppeteerPage>;
  if (typeof puppeteer.createCDPSession === "function") {
    return (await puppeteer.createCDPSession()) as DevToolsSession;
  }
  const playwright = page as Partial<PlaywrightPage>;
  if (typeof playwright.context !== "function") return undefined;
  const context = playwright.context() as { newCDPSession?: (page: unknown) => Promise<unknown> } | null;
  if (typeof context?.newCDPSession !== "function") return undefined;
  return (await context.newCDPSession(page)) as DevToolsSession;
}
