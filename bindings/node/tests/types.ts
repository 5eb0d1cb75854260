// What the compiler must accept, and refuse: `cargo xtask check javascript` compiles this file, nobody runs it.
import { z } from "zod";
import { z as z3 } from "zod/v3";

import {
  type Action,
  type ActResult,
  AgentAbortError,
  type AgentConfig,
  type AgentInstance,
  type AgentResult,
  Automator,
  AutomatorError,
  type AutomatorMetrics,
  type ConsoleMessage,
  Context,
  Dialog,
  type DialogType,
  type Extraction,
  type HistoryEntry,
  type JsonSchema,
  Locator,
  Page,
  type PageText,
  type Response,
  type Schema,
  type StandardSchema,
  type StreamingAgentInstance,
  TimeoutError,
  tool,
  type ToldMessage,
  type WithProvenance,
} from "../src/index";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

interface Lamp {
  name: string;
  price: number;
}

declare const standard: StandardSchema<Lamp>;
declare const anySchema: Schema;
declare const playwright: { context(): object; url(): string };
declare const puppeteer: { createCDPSession(): Promise<object>; url(): string };

export async function extracts(automator: Automator) {
  const text = await automator.extract();
  same<typeof text, PageText>(true);
  const part = await automator.extract({ selector: "main", ignoreSelectors: ["nav"], timeout: 5 });
  same<typeof part, PageText>(true);
  const plain = await automator.extract("the price");
  same<typeof plain, Extraction>(true);
  same<typeof plain.extraction, string>(true);
  const scoped = await automator.extract("the price", { timeout: 500, screenshot: true });
  same<typeof scoped, Extraction>(true);

  const object = await automator.extract("the product", z.object({ name: z.string(), price: z.number().optional() }));
  same<typeof object, { name: string; price?: number | undefined }>(true);
  const list = await automator.extract("the lamps", z.array(z.object({ link: z.string().url() })), { selector: "main" });
  same<typeof list, { link: string }[]>(true);
  const transformed = await automator.extract("the price", z.string().transform(Number));
  same<typeof transformed, number>(true);
  const defaulted = await automator.extract("the tags", z.object({ tags: z.array(z.string()).default([]) }));
  same<typeof defaulted, { tags: string[] }>(true);
  const chosen = await automator.extract("the size", z.enum(["S", "L"]));
  same<typeof chosen, "S" | "L">(true);

  const older = await automator.extract("the names", z3.array(z3.string()));
  same<typeof older, string[]>(true);
  const olderObject = await automator.extract("the lamp", z3.object({ name: z3.string(), price: z3.number().nullable() }));
  same<typeof olderObject, { name: string; price: number | null }>(true);
  const olderTransformed = await automator.extract("the price", z3.string().transform(Number), { timeout: 5 });
  same<typeof olderTransformed, number>(true);

  const lamp = await automator.extract("the lamp", standard);
  same<typeof lamp, Lamp>(true);
  const unknowable = await automator.extract("the name", { type: "object", properties: {} });
  same<typeof unknowable, unknown>(true);
  const said = await automator.extract<Lamp>("the lamp", { type: "object", properties: { name: { type: "string" } } });
  same<typeof said, Lamp>(true);
  const jsonSchema: JsonSchema = { type: "string" };
  same<Awaited<ReturnType<typeof any>>, unknown>(true);
  function any() {
    return automator.extract("anything", Math.random() > 0.5 ? anySchema : jsonSchema);
  }

  // @ts-expect-error a price is no text
  const wrong: { price: string } = await automator.extract("the price", z.object({ price: z.number() }));
  // @ts-expect-error there is no such option
  await automator.extract({ selectors: "main" });
  // @ts-expect-error a number is no instruction
  await automator.extract(5);
  // @ts-expect-error nothing else is a page
  await automator.extract({ page: { hello: 1 } });
  await automator.extract({ page: playwright });
  await automator.extract("the price", { page: puppeteer });
  return wrong;
}

/** What is no schema and no option must not become one of both. */
export async function slips(automator: Automator, page: Page) {
  // @ts-expect-error there is no such option
  await automator.extract("the price", { timeoutMs: 5 });
  // @ts-expect-error there is no such option
  await automator.extract("the price", { selectors: "main" });
  // @ts-expect-error there is no such option beside one that there is
  await automator.extract("the price", { timeout: 5, selectors: "main" });
  // @ts-expect-error there is no such option
  await automator.extractWithProvenance("the price", { timeoutMs: 5 });
  // @ts-expect-error members without an object around them are no schema
  await automator.extract("the lamp", { name: z.string() });
  // @ts-expect-error also where a member is called as a word of JSON Schema
  await automator.extract("the lamp", { title: z.string(), type: z.string() });
  // @ts-expect-error options stand behind the schema
  await automator.extract("the price", { timeout: 5 }, z.string());
  const fitting = await automator.extract("the lamp", z.toJSONSchema(z.object({ name: z.string() })));
  same<typeof fitting, { name: string }>(true);
  const narrow = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
  same<Awaited<ReturnType<typeof narrowed>>, unknown>(true);
  function narrowed() {
    return automator.extract("the lamp", narrow, { timeout: 5 });
  }
  // @ts-expect-error version 2 takes schemas of objects only
  await page.extract({ instruction: "all lamps", schema: z.array(z.string()) });
  // @ts-expect-error version 2 takes schemas of objects only
  await page.extract({ instruction: "the price", schema: z.number() });
  // @ts-expect-error version 2 takes one argument
  await page.extract("the lamp", z.object({ name: z.string() }));
  await page.extract({ instruction: "the lamp", schema: { type: "object", properties: {} } });
}

/** Members of options may be `undefined`, also for compilers that tell that from a missing one. */
export async function optionals(automator: Automator, page: Page, given: { timeout?: number; selector?: string }) {
  const { timeout, selector } = given;
  new Automator({ env: "LOCAL", cacheDir: selector, localBrowserLaunchOptions: { locale: selector, proxy: undefined } });
  await automator.extract("the price", { timeout, selector });
  await automator.act("press", { timeout, variables: { code: { value: 1, description: selector } } });
  await automator.observe({ timeout, selector });
  await page.screenshot({ timeout, clip: undefined });
  await page.locator("main").click({ timeout, position: undefined });
  await automator.context.addCookies([{ name: "a", value: "b", url: selector }]);
  await automator.context.clearCookies({ name: selector });
  await page.extract({ instruction: "the price", selector });
}

/** Only the library makes these. */
export function handles(message: ConsoleMessage, told: ToldMessage, type: DialogType) {
  // @ts-expect-error programs make no pages
  new Page();
  // @ts-expect-error programs make no locators
  new Locator();
  // @ts-expect-error programs make no contexts
  new Context();
  // @ts-expect-error programs make no dialogs
  new Dialog();
  same<ReturnType<typeof message.raw>, typeof told>(true);
  same<ReturnType<Dialog["type"]>, typeof type>(true);
}

export async function provenance(automator: Automator) {
  const plain = await automator.extractWithProvenance("the price");
  same<typeof plain, WithProvenance<string>>(true);
  const { value, provenance: places } = await automator.extractWithProvenance("it", z.object({ name: z.string() }));
  same<typeof value, { name: string }>(true);
  places["/name"]?.[0]?.xpath.toUpperCase();
  const older = await automator.extractWithProvenance("it", z3.object({ name: z3.string() }), { selector: "main" });
  same<typeof older.value, { name: string }>(true);
  const said = await automator.extractWithProvenance<Lamp>("the lamp", { type: "object", properties: {} });
  same<typeof said.value, Lamp>(true);
}

export async function acts(automator: Automator, page: Page, action: Action) {
  const done = await automator.act("press");
  same<typeof done, ActResult>(true);
  await automator.act("press %code%", { variables: { code: 1, other: { value: "x", description: "y" } }, page });
  await automator.act(action, { timeout: 5, model: "openai/gpt-4.1-mini" });
  await automator.act({ selector: "#a", description: "a", method: "fill", arguments: ["x"] });
  await page.act(action);
  // @ts-expect-error there is no such option
  await automator.act("press", { timeoutMs: 5 });
  // @ts-expect-error an action has a selector
  await automator.act({ description: "a" });
  // @ts-expect-error a page acts on itself
  await page.act("press", { page });
}

export async function observes(automator: Automator, page: Page) {
  const all = await automator.observe();
  same<typeof all, Action[]>(true);
  const found: Action[] = await automator.observe("buttons", { selector: "main", variables: { a: true } });
  await automator.observe({ ignoreSelectors: ["nav"], page: playwright });
  if (found[0] !== undefined) await automator.act(found[0], { page });
  same<(typeof found)[number]["arguments"], string[] | undefined>(true);
  await page.observe("buttons", { timeout: 0 });
  await page.observe({ selector: "main" });
  // @ts-expect-error a page observes itself
  await page.observe({ page });
  // @ts-expect-error a list is no instruction
  await automator.observe(["buttons"]);
  // @ts-expect-error observing takes no pictures
  await automator.observe("buttons", { screenshot: true });
}

export async function version2(page: Page) {
  const value = await page.extract({ instruction: "all", schema: z.object({ all: z.array(z.string()) }), iframes: true });
  same<typeof value, { all: string[] }>(true);
  const older = await page.extract({ instruction: "all", schema: z3.object({ all: z3.number() }), modelName: "a/b" });
  same<typeof older, { all: number }>(true);
  const plain = await page.extract("the price");
  same<typeof plain, Extraction>(true);
  const text = await page.extract({ instruction: "the price", domSettleTimeoutMs: 5 });
  same<typeof text, Extraction>(true);
  const whole = await page.extract();
  same<typeof whole, PageText>(true);
  const part = await page.extract({ selector: "main" });
  same<typeof part, PageText>(true);
}

export async function session(automator: Automator) {
  same<Automator["context"], Context>(true);
  same<Automator["remoteSessionID"], string | undefined>(true);
  const metrics: AutomatorMetrics = await automator.metrics;
  metrics.totalInferenceTimeMs.toFixed();
  const history = await automator.history;
  same<typeof history, readonly HistoryEntry[]>(true);
  // @ts-expect-error it is read-only
  history.push(history[0]);
  await automator.close({ force: true });
  // @ts-expect-error there is no such option
  await automator.close({ forced: true });
  // @ts-expect-error an env is needed
  new Automator({});
  // @ts-expect-error it is one of two
  new Automator({ env: "MOON" });
  new Automator({
    env: "LOCAL",
    experimental: true,
    verbose: 2,
    model: { modelName: "a/b", apiKey: "c", baseURL: "http://localhost", temperature: 0 },
    logger: ({ message, level, auxiliary }) => [message.length, level.toFixed(), auxiliary?.["url"]?.value],
    llmClient: { modelName: "mine/model", generate: async ({ messages }) => ({ text: String(messages.length) }) },
  });
  // @ts-expect-error it is 0, 1 or 2
  new Automator({ env: "LOCAL", verbose: 3 });
}

export async function pages(page: Page) {
  const sum = await page.evaluate(([a, b]: [number, number]) => a + b, [1, 2]);
  same<typeof sum, number>(true);
  const later = await page.evaluate(async () => "text");
  same<typeof later, string>(true);
  const response = await page.goto("about:blank", { waitUntil: "networkidle", timeoutMs: 5 });
  same<typeof response, Response | null>(true);
  await page.type("x", { delay: 1, withMistakes: true });
  await page.keyPress("Enter", { delay: 1 });
  page.on("dialog", async (dialog) => {
    same<typeof dialog, Dialog>(true);
    await (dialog.type() === "prompt" ? dialog.accept("text") : dialog.dismiss());
  });
  page.once("console", (message) => message.text().length);
  page.on("close", (closed) => same<typeof closed, Page>(true));
  // @ts-expect-error there is no such event
  page.on("noise", () => undefined);
  // @ts-expect-error there is no such state
  await page.waitForLoadState("done");
}

export function errors(error: unknown) {
  if (error instanceof TimeoutError) same<typeof error.code, string>(true);
  if (error instanceof AutomatorError) same<typeof error.context, Readonly<Record<string, string>>>(true);
  return new AgentAbortError("stopped", { cause: error }).cause;
}

export async function agents(automator: Automator, page: Page, config: AgentConfig) {
  const agent = automator.agent({ mode: "dom", model: "a/b", executionModel: { modelName: "c/d" }, systemPrompt: "x" });
  same<typeof agent, AgentInstance>(true);
  const result = await agent.execute("go");
  same<typeof result, AgentResult>(true);
  same<typeof result.output, unknown>(true);
  const typed = await agent.execute({ instruction: "go", page, output: z.object({ n: z.number() }), maxSteps: 3 });
  same<typeof typed.output, { n: number } | undefined>(true);
  const older = await agent.execute({ instruction: "go", output: z3.object({ n: z3.number() }) });
  same<typeof older.output, { n: number } | undefined>(true);
  const said = await agent.execute<Lamp>({ instruction: "go", output: { type: "object", properties: {} } });
  same<typeof said.output, Lamp | undefined>(true);
  const streaming = automator.agent({ stream: true });
  same<typeof streaming, StreamingAgentInstance>(true);
  const stream = await streaming.execute({ instruction: "go", output: z.array(z.string()) });
  for await (const piece of stream.textStream) same<typeof piece, string>(true);
  for await (const event of stream.fullStream) if (event.type === "tool-call") event.toolName.toUpperCase();
  same<Awaited<typeof stream.result>["output"], string[] | undefined>(true);
  const either = automator.agent(config);
  same<typeof either, AgentInstance | StreamingAgentInstance>(true);
  await automator.agent().execute({
    instruction: "go on",
    variables: { code: { value: 5, description: "the code" } },
    messages: result.messages,
    signal: new AbortController().signal,
    confirm: ({ kind, description }) => kind !== "purchase" && description.length > 0,
    callbacks: { onChunk: ({ chunk }) => chunk.type, onStepFinish: ({ toolCalls }) => toolCalls[0]?.toolName },
  });
  automator.agent({
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }, { abortSignal }) => [city.toUpperCase(), abortSignal.aborted],
      }),
      plain: { description: "x", parameters: { type: "object" }, execute: ({ anything }) => anything },
    },
  });
  // @ts-expect-error there is no such option
  await agent.execute({ instruction: "go", maxStep: 3 });
  // @ts-expect-error a task is needed
  await agent.execute({ maxSteps: 3 });
  // @ts-expect-error there is no such mode
  automator.agent({ mode: "fast" });
  // @ts-expect-error a tool does something
  automator.agent({ tools: { weather: { description: "x" } } });
  // @ts-expect-error there is no such callback
  await agent.execute({ instruction: "go", callbacks: { onStepDone: () => undefined } });
}
