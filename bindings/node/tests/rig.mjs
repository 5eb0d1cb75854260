// What the tests share: a session with a scripted model, and pages from a server of this process.
import { spawnSync } from "node:child_process";
import http from "node:http";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

import { Automator } from "../dist/index.mjs";
import { lentBrowser } from "./lent.mjs";

/**
 * A session whose model answers with what `answer` gives for a request, with a lent browser where there are some; it is
 * closed after the file's tests.
 */
export async function openSession(answer, options) {
  const { launch, giveBack } = await lentBrowser();
  return sessionWith(launch, giveBack, answer, options);
}

/** The same with a browser that is started for it, for tests of beginnings, ends, and what only such a one does. */
export function openOwnSession(answer, options) {
  return sessionWith({}, () => {}, answer, options);
}

async function sessionWith(launch, giveBack, answer = () => ({ text: "" }), options = {}) {
  const requests = [];
  const session = new Automator({
    env: "LOCAL",
    verbose: 0,
    disableLogBackend: true,
    localBrowserLaunchOptions: { viewport: { width: 900, height: 600 }, ...launch },
    llmClient: {
      modelName: "test/scripted",
      generate(request) {
        requests.push(request);
        return answer(request);
      },
    },
    ...options,
  });
  await session.init();
  after(async () => {
    await session.close();
    giveBack();
  });
  return { session, page: session.context.pages()[0], requests };
}

/** A reply that holds a value, as models write it, with what it costs. */
export function reply(value) {
  return { text: JSON.stringify(value), tokens: { prompt: 100, completion: 20, reasoning: 3, cachedInput: 5 } };
}

/** All that a request says. */
export function textOf(request) {
  return request.messages.flatMap((message) => message.content.map((part) => part.text ?? "")).join("\n");
}

/** The id of the line that ends so. */
export function idOf(request, line) {
  const found = textOf(request)
    .split("\n")
    .map((text) => /\[(\d+-\d+)\] (.*)$/.exec(text))
    .find((match) => match?.[2] === line);
  if (!found) throw new Error(`no line "${line}" in:\n${textOf(request)}`);
  return found[1];
}

/** Serves pages by path; closed after the file's tests. */
export async function serve(pages) {
  const server = http.createServer((request, response) => {
    const body = pages[new URL(request.url, "http://x").pathname];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(body ?? "nothing here");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** Runs a program that uses `Automator` in a process of its own, and waits until that has ended by itself. */
export function program(source) {
  const from = JSON.stringify(new URL("../dist/index.mjs", import.meta.url).href);
  const given = `import { Automator } from ${from};\n${source}`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", given], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status: ran.status, output: ran.stdout.trim(), errors: ran.stderr };
}

/** The error that a call ends with. */
export async function errorOf(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
