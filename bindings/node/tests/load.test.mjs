// The tenth part of what `cargo xtask bench node` measures.
import assert from "node:assert/strict";
import { test } from "node:test";

import { copies } from "../bench/crossing.mjs";
import { load } from "../bench/load.mjs";
import { openSession } from "./rig.mjs";

test("of many extractions at a time none is lost or mixed up with another", async () => {
  const delays = [];
  // When others have the processors, the event loop is late through no fault of ours; three times in a row it is ours.
  while (delays.length < 3 && !(delays.at(-1) < 50)) {
    const { wrong, delay } = await load({ calls: 100, pages: 20 });
    assert.deepEqual(wrong, []);
    delays.push(delay.p99);
  }
  assert.ok(delays.at(-1) < 50, `other things waited ${delays} ms`);
});

test("a page text is copied once on its way to JavaScript", async () => {
  const { session, page } = await openSession();
  await page.evaluate(() => {
    document.body.innerHTML = `<p>${"All of this text is read. ".repeat(40)}`.repeat(2_000);
  });
  for (const extract of [() => session.extract(), () => page.extract()]) {
    const { copies: made, megabytes } = await copies(extract);
    assert.ok(megabytes > 1.5, `${megabytes} MB`);
    assert.ok(made >= 1 && made < 1.1, `${made} copies`);
  }
});
