// What the compiler must accept, and refuse: `cargo xtask check javascript` compiles this file, nobody runs it.
import { z } from "zod";
import { z as z3 } from "zod/v3";

import { type Action, Automator, type AutomatorMetrics, type Page, TimeoutError } from "../src/index";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

export async function compiles(automator: Automator, page: Page, playwright: { context(): object; url(): string }) {
  const product = await automator.extract("the product", z.object({ name: z.string(), price: z.number().optional() }));
  same<typeof product, { name: string; price?: number | undefined }>(true);

  const transformed = await automator.extract("the price", z.string().transform(Number), { selector: "main" });
  same<typeof transformed, number>(true);

  const older = await automator.extract("the names", z3.array(z3.string()));
  same<typeof older, string[]>(true);

  const text = await automator.extract("the price", { timeout: 500, page: playwright });
  same<typeof text.extraction, string>(true);

  const { pageText } = await automator.extract();
  same<typeof pageText, string>(true);

  const plain = await automator.extract("the name", { type: "object", properties: {} });
  same<typeof plain, unknown>(true);

  const { value, provenance } = await automator.extractWithProvenance("the name", z.object({ name: z.string() }));
  same<typeof value, { name: string }>(true);
  provenance["/name"]?.[0]?.xpath.toUpperCase();

  const version2 = await page.extract({ instruction: "all", schema: z.object({ all: z.array(z.string()) }) });
  same<typeof version2, { all: string[] }>(true);

  const found: Action[] = await automator.observe("buttons", { variables: { a: 1, b: { value: "x" } } });
  if (found[0] !== undefined) await automator.act(found[0], { page });

  const metrics: AutomatorMetrics = await automator.metrics;
  metrics.totalInferenceTimeMs.toFixed();
  const history = await automator.history;
  // @ts-expect-error it is read-only
  history.push(history[0]);

  const sum = await page.evaluate(([a, b]: [number, number]) => a + b, [1, 2]);
  same<typeof sum, number>(true);

  // @ts-expect-error there is no such option
  await automator.act("press", { timeoutMs: 5 });
  // @ts-expect-error an env is needed
  new Automator({});
  // @ts-expect-error nothing else is a page
  await automator.extract({ page: { hello: 1 } });
  return new TimeoutError("x").code;
}
