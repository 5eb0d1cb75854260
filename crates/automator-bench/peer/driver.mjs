// The TypeScript peer in a process of its own, for `cargo xtask bench act` and `bench agent`.
//
// One JSON object a line comes in, { op, argument }, and one goes out: { ms, value }, or { error }. The time
// is taken here, around the one call of the library, so neither this protocol nor the other process counts.
// It ends when its input ends.
import { createInterface } from "node:readline";

// Standard output is the protocol; whatever a library prints goes where people read it.
const answer = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
for (const level of ["log", "info", "debug", "warn"]) {
  console[level] = console.error;
}

let session;
let page;

const operations = {
  /** Attaches to a running browser; `memory` is the folder for what is remembered. */
  async open({ browser, model, memory }) {
    const { Stagehand } = await import("@browserbasehq/stagehand");
    session = new Stagehand({
      env: "LOCAL",
      verbose: 0,
      disablePino: true,
      logger: () => {},
      model: { modelName: "openai/gpt-4.1-mini", apiKey: "none", baseURL: model },
      localBrowserLaunchOptions: { cdpUrl: browser },
      cacheDir: memory ?? undefined,
    });
    await session.init();
    page = session.context.pages()[0];
  },
  async goto(url) {
    await page.goto(url, { waitUntil: "load", timeoutMs: 20_000 });
  },
  observe: (instruction) => session.observe(instruction),
  /** Takes an instruction or an action. */
  act: (what) => session.act(what),
  extract: (instruction) => session.extract(instruction),
  /** A run of an agent, without its messages. */
  async agent({ instruction, maxSteps }) {
    const agent = session.agent({ mode: "dom" });
    const { success, message, actions } = await agent.execute({ instruction, maxSteps });
    return { success, message, tools: actions.map((action) => action.type) };
  },
  evaluate: (expression) => page.evaluate(expression),
  close: () => session.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, argument } = JSON.parse(line);
  const start = performance.now();
  try {
    const value = await operations[op](argument);
    answer({ ms: performance.now() - start, value: value ?? null });
  } catch (error) {
    answer({ error: String(error?.message ?? error) });
  }
}
process.exit(0);
