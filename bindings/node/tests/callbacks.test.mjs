// Functions of the user that the library calls: one that throws or hangs harms nothing but itself.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ExtractTimeoutError } from "../dist/index.mjs";
import { errorOf, openSession, program, reply, serve } from "./rig.mjs";

const site = await serve({ "/": "<h1>Lamps</h1><button onclick=\"console.log('pressed')\">Press</button>" });

/** The warnings of this process while something runs. */
async function warningsOf(run) {
  const warnings = [];
  const listener = (warning) => warnings.push(warning);
  process.on("warning", listener);
  await run();
  // Warnings are told in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listener);
  return warnings.filter((warning) => warning.name === "AutomatorWarning").map((warning) => warning.message);
}

const BAD = {
  throws: () => { throw new Error("not today"); },
  rejects: async () => { throw new Error("not today"); },
  hangs: () => new Promise(() => {}),
};

for (const [how, bad] of Object.entries(BAD)) {
  test(`a logger that ${how} harms nothing`, async () => {
    const lines = [];
    const logger = (line) => {
      lines.push(line.message);
      return bad();
    };
    const warnings = await warningsOf(async () => {
      const { session, page } = await openSession(undefined, { verbose: 2, logger });
      await page.goto(site);
      assert.match((await session.extract()).pageText, /Lamps/);
      await session.close();
    });
    assert.ok(lines.length > 2, String(lines));
    assert.equal(warnings.length, how === "hangs" ? 0 : 1, "told once");
    if (how !== "hangs") assert.match(warnings[0], /the logger failed.*not today/s);
  });

  test(`a listener that ${how} harms neither the others nor the page`, async () => {
    const { session, page } = await openSession();
    await page.goto(site);
    const heard = [];
    const warnings = await warningsOf(async () => {
      page.on("console", () => bad());
      const last = new Promise((resolve) => {
        page.on("console", (message) => {
          // The browser complains there, too, about an icon that the site does not have.
          if (message.type() === "log") heard.push(message.text());
          if (heard.length === 2) resolve();
        });
      });
      await page.locator("button").click();
      await page.locator("button").click();
      await last;
    });
    assert.deepEqual(heard, ["pressed", "pressed"]);
    assert.equal(warnings.length, how === "hangs" ? 0 : 1, "told once");
    assert.match((await session.extract()).pageText, /Lamps/);
    await session.close();
  });
}

test("a model client that hangs ends with its call, and its late answer harms no later one", async () => {
  let release;
  const answers = [
    () => new Promise((resolve) => { release = () => resolve(reply({ name: "late" })); }),
    () => reply({ name: "in time" }),
  ];
  const { session, page } = await openSession(() => answers.shift()());
  await page.goto(site);
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const error = await errorOf(() => session.extract("the name", schema, { timeout: 1_500 }));
  assert.ok(error instanceof ExtractTimeoutError, error.name);
  release();
  assert.deepEqual(await session.extract("the name", schema), { name: "in time" });
  await session.close();
});

test("a program ends by itself once its session is closed, whatever it has registered", () => {
  const { status, output } = program(`
    const automator = new Automator({
      env: "LOCAL",
      logger: () => new Promise(() => {}),
      llmClient: { modelName: "test/hangs", generate: () => new Promise(() => {}) },
    });
    await automator.init();
    const page = automator.context.pages()[0];
    for (const name of ["console", "pageerror", "dialog", "download", "filechooser", "popup", "close"]) page.on(name, () => {});
    await automator.extract("anything", { timeout: 200 }).catch((error) => console.log(error.name));
    await automator.close();
    console.log("closed");`);
  assert.deepEqual([status, output], [0, "ExtractTimeoutError\nclosed"]);
});

test("a program that is done ends, although its session is open", () => {
  const { status, output } = program(`
    const automator = new Automator({ env: "LOCAL", logger: () => {} });
    await automator.init();
    automator.context.pages()[0].on("console", () => {});
    await automator.extract();
    console.log("done");`);
  assert.deepEqual([status, output], [0, "done"]);
});

test("without a logger, lines go to the standard error output once verbose is given, and only then", () => {
  const errorsWith = (options) => {
    const { status, errors } = program(`
      const automator = new Automator({ env: "LOCAL", ...${JSON.stringify(options)} });
      await automator.init();
      await automator.close();`);
    assert.equal(status, 0, errors);
    return errors;
  };
  assert.match(errorsWith({ verbose: 1 }), /^\d{4}-\d\d-\d\dT[\d:.]+Z init: the browser is ready/m);
  for (const options of [{}, { verbose: 0 }, { verbose: 2, disableLogBackend: true }]) {
    assert.equal(errorsWith(options), "", JSON.stringify(options));
  }
});
