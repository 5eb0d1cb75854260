// What a lamp costs, as an HTTP function that a schedule calls: GET /api/lamp, with the header
// `authorization: Bearer <CRON_SECRET>`.
//
//   200 { "ok": true, "data": "Arc lamp: € 49.00" }
//   401 { "ok": false, "error": … }   the secret is not right; nothing was done
//   500 { "ok": false, "error": … }   anything else that went wrong; the session is closed all the same
//
// It reads from the environment:
//   CRON_SECRET      the secret that callers send, 32 characters or more; the host's scheduler sends it by itself
//   SHOP_URL         the address of the shop, with a slash at its end
//   MODEL            the model; the key is read from the variable of its provider, such as OPENAI_API_KEY
//   MODEL_BASE_URL   the address of a model server of one's own; not needed otherwise
//   REMOTE_API_KEY   when it is set, the browser runs on the remote platform, else on this machine
import { createHash, timingSafeEqual } from "node:crypto";

import { Automator } from "automator-browser";
import { z } from "zod";

/** How long all of it may take, in milliseconds: `maxDuration` of the host is longer by what closing takes. */
const LIMIT = 50_000;

/** Answers the host and its scheduler. */
export async function GET(request) {
  try {
    if (!isSent(secret(), request)) {
      return Response.json({ ok: false, error: "the authorization header is not that of CRON_SECRET" }, { status: 401 });
    }
    return Response.json({ ok: true, data: await lamp() });
  } catch (error) {
    return Response.json({ ok: false, error: error.message }, { status: 500 });
  }
}

/** The name and the price of the lamp. */
async function lamp() {
  const end = Date.now() + LIMIT;
  const left = () => Math.max(1, end - Date.now());
  const { MODEL = "openai/gpt-4.1-mini", MODEL_BASE_URL, SHOP_URL = "https://lamps.example/" } = process.env;
  const automator = new Automator({
    env: process.env.REMOTE_API_KEY ? "REMOTE" : "LOCAL",
    model: { modelName: MODEL, baseURL: MODEL_BASE_URL },
    verbose: 0,
  });
  try {
    await automator.init();
    await automator.context.activePage().goto(`${SHOP_URL}product/arc-lamp`, { timeoutMs: left() });
    const done = await automator.act("press Only what is needed", { timeout: left() });
    if (!done.success) throw new Error(`the cookies could not be answered: ${done.message}`);
    const instruction = "name and current price of the lamp, as name: price";
    return await automator.extract(instruction, z.string(), { selector: "article", timeout: left() });
  } finally {
    await automator.close();
  }
}

/** The secret that callers share with this function. */
function secret() {
  const { CRON_SECRET = "" } = process.env;
  if (CRON_SECRET.length < 32) throw new Error("set CRON_SECRET to a secret of 32 characters or more");
  return CRON_SECRET;
}

/** Whether a request brings the secret. How long the comparison takes says nothing about it. */
function isSent(secret, request) {
  const digest = (text) => createHash("sha256").update(text).digest();
  const sent = request.headers.get("authorization") ?? "";
  return timingSafeEqual(digest(sent), digest(`Bearer ${secret}`));
}
