// The TypeScript client of the platform's sessions, against our server.

import assert from "node:assert/strict";
import Browserbase from "@browserbasehq/sdk";

const { SERVER, KEY, FOREIGN_SESSION } = process.env;
const client = new Browserbase({ apiKey: KEY, baseURL: SERVER, maxRetries: 0 });

const created = await client.sessions.create({ timeout: 120, keepAlive: true, userMetadata: { order: "5" } });
assert.equal(created.status, "RUNNING");
assert.match(created.connectUrl, /^ws:/);
const lifetime = new Date(created.expiresAt) - new Date(created.createdAt);
assert.equal(Math.round(lifetime / 1000), 120);

const retrieved = await client.sessions.retrieve(created.id);
assert.equal(retrieved.id, created.id);
assert.deepEqual(retrieved.userMetadata, { order: "5" });

const listed = await client.sessions.list({ status: "RUNNING" });
assert.ok(listed.some((session) => session.id === created.id));

const debug = await client.sessions.debug(created.id);
assert.match(debug.debuggerUrl, /^http/);
assert.match(debug.wsUrl, /^ws/);
assert.equal(debug.pages.length, 1);

const released = await client.sessions.update(created.id, { status: "REQUEST_RELEASE", projectId: "ours" });
assert.equal(released.status, "COMPLETED");

for (const parameters of [undefined, {}, { projectId: "ours", name: "a profile" }]) {
  const context = await client.contexts.create(parameters);
  assert.equal((await client.contexts.retrieve(context.id)).id, context.id);
  await client.contexts.delete(context.id);
}

const stranger = new Browserbase({ apiKey: "amk_00000000_wrong", baseURL: SERVER, maxRetries: 0 });
await assert.rejects(() => stranger.sessions.list(), Browserbase.AuthenticationError);
for (const id of [FOREIGN_SESSION, "none"]) {
  await assert.rejects(() => client.sessions.retrieve(id), Browserbase.NotFoundError);
}
await assert.rejects(() => client.sessions.create({ timeout: 5, keepAlive: false }), Browserbase.BadRequestError);
