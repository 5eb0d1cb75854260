import assert from "node:assert/strict";
import { test } from "node:test";

import { AutomatorClosedError, AutomatorInvalidArgumentError } from "../dist/index.mjs";
import { errorOf, openSession } from "./rig.mjs";

const { session, page } = await openSession();
const ASK = "[alert('a'), confirm('b'), prompt('c', 'offered')]";

/** What the page gets while a listener is there. */
async function answers(listener, source = ASK) {
  page.on("dialog", listener);
  try {
    return await page.evaluate(source);
  } finally {
    page.off("dialog", listener);
  }
}

test("a listener answers, at once or by a promise, and knows what is asked", async () => {
  const heard = [];
  const answered = await answers(async (dialog) => {
    heard.push([dialog.type(), dialog.message(), dialog.defaultValue(), dialog.page() === page, dialog.url()]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await (dialog.type() === "prompt" ? dialog.accept("typed") : dialog.accept());
  });
  assert.deepEqual(answered, [null, true, "typed"]);
  assert.deepEqual(heard, [
    ["alert", "a", "", true, "about:blank"],
    ["confirm", "b", "", true, "about:blank"],
    ["prompt", "c", "offered", true, "about:blank"],
  ]);
});

test("a prompt is accepted with what it offers when nothing is typed", async () => {
  assert.equal(await answers((dialog) => dialog.accept(), "prompt('c', 'offered')"), "offered");
  assert.equal(await answers((dialog) => dialog.accept(""), "prompt('c', 'offered')"), "");
});

test("what all listeners leave open is dismissed, and alerts are accepted, as without a listener", async () => {
  assert.deepEqual(await page.evaluate(ASK), [null, false, null]);
  assert.deepEqual(await answers(() => {}), [null, false, null]);
  assert.deepEqual(await answers(() => { throw new Error("no"); }), [null, false, null]);
  assert.deepEqual(await answers(() => Promise.reject(new Error("no"))), [null, false, null]);
});

test("who has waited for the event with `once` can answer it", async () => {
  const coming = new Promise((resolve) => page.once("dialog", resolve));
  const asked = page.evaluate("confirm('sure?')");
  const dialog = await coming;
  await dialog.accept();
  assert.equal(await asked, true);
  assert.equal(await page.evaluate("confirm('and now?')"), false);
});

test("the first answer counts, and a later one is told so", async () => {
  const errors = [];
  const answer = await answers(async (dialog) => {
    await dialog.dismiss();
    errors.push(await errorOf(() => dialog.accept()));
    errors.push(await errorOf(() => dialog.accept(5)));
  }, "confirm('sure?')");
  assert.equal(answer, false);
  // The page goes on before the listener does.
  while (errors.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(errors[0] instanceof AutomatorClosedError, errors[0].name);
  assert.match(errors[0].message, /answered already/);
  assert.ok(errors[1] instanceof AutomatorInvalidArgumentError, errors[1].name);
});

test("dialogs that interrupt an action are answered and listed", async () => {
  await page.evaluate(() => {
    document.body.innerHTML = "<button>Delete</button>";
    document.querySelector("button").onclick = () => { document.title = confirm("Delete it?") ? "gone" : "kept"; };
  });
  const listener = (dialog) => dialog.accept();
  page.on("dialog", listener);
  await page.locator("button").click();
  page.off("dialog", listener);
  assert.equal(await page.title(), "gone");
  const last = session.context.dialogs().at(-1);
  assert.deepEqual(
    [last.type, last.message, last.accepted, last.pageId],
    ["confirm", "Delete it?", true, page.targetId()],
  );
});

test("a listener that hangs holds up neither the other listeners nor, for ever, the page", async () => {
  assert.equal(await answers(() => new Promise(() => {}), "confirm('anyone?')"), false);
  const hanging = () => new Promise(() => {});
  page.on("dialog", hanging);
  assert.equal(await answers((dialog) => dialog.accept(), "confirm('anyone?')"), true);
  page.off("dialog", hanging);
});
