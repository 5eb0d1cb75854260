// The example of a scheduled function, served over HTTP and called as its host calls it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { start } from "../../../examples/node/bundled.mjs";
import { serve } from "./rig.mjs";

const here = (place) => fileURLToPath(new URL(place, import.meta.url));
const SECRET = "0123456789abcdef0123456789abcdef";

let place;
/** A copy of the example, with its dependencies beside it as `npm install` puts them there. */
let folder;

before(async () => {
  place = await start();
  folder = await mkdtemp(path.join(tmpdir(), "automator-function-"));
  await cp(here("../../../examples/node/function"), folder, { recursive: true });
  await rm(path.join(folder, "node_modules"), { recursive: true, force: true });
  await mkdir(path.join(folder, "node_modules"));
  await symlink(here(".."), path.join(folder, "node_modules/automator-browser"), "dir");
  await symlink(here("../node_modules/zod"), path.join(folder, "node_modules/zod"), "dir");
});

after(async () => {
  place?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Serves the function with these variables; gives its address and its process. */
async function serving(variables, t) {
  const env = {
    ...process.env,
    CRON_SECRET: SECRET,
    SHOP_URL: place.site,
    MODEL: place.model.modelName,
    MODEL_BASE_URL: place.model.baseURL,
    OPENAI_API_KEY: place.model.apiKey,
    PORT: "0",
    ...variables,
  };
  const server = spawn(process.execPath, ["serve.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "exit");
  t.after(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  const failed = ended.then(() => {
    throw new Error("the function is not served");
  });
  failed.catch(() => {});
  const [address] = await Promise.race([once(createInterface(server.stdout), "line"), failed]);
  return { address, server };
}

async function call(address, place, secret) {
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  // The connection ends with the answer, so that the server can end, too.
  const response = await fetch(`${address}${place}`, { headers: { ...headers, connection: "close" } });
  assert.match(response.headers.get("content-type"), /^application\/json/);
  return { status: response.status, body: await response.json() };
}

/** A port on which nobody listens any more. */
async function closedPort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The processes that a process has started and that still run. */
async function children(parent) {
  const lines = process.platform === "linux" ? await processesOfLinux() : await processesElsewhere();
  return lines.filter(([, state, ppid]) => Number(ppid) === parent && !state.startsWith("Z"));
}

/** Name, state and parent of all processes. Small systems come without `ps`. */
async function processesOfLinux() {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  return stats.filter((stat) => stat !== "").map((stat) => {
    const [, name, state, ppid] = /^\d+ \((.*)\) (\S) (\d+) /s.exec(stat);
    return [name, state, ppid];
  });
}

async function processesElsewhere() {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "stat=,ppid=,comm="]);
  return stdout.split("\n").map((line) => {
    const [state, ppid, ...name] = line.trim().split(/\s+/);
    return [name.join(" "), state, ppid];
  });
}

test("what the host is told names the function, its limit and its schedule", async (t) => {
  const { functions, crons } = JSON.parse(await readFile(path.join(folder, "vercel.json"), "utf8"));
  assert.deepEqual(Object.values(functions).map(({ maxDuration }) => maxDuration), [60]);
  assert.equal(crons.length, 1);
  assert.match(crons[0].schedule, /^(\S+ ){4}\S+$/);
  for (const file of Object.keys(functions)) await access(path.join(folder, file));
  assert.deepEqual(Object.keys(functions), [`${crons[0].path.slice(1)}.mjs`]);

  const { address, server } = await serving({}, t);
  const { status, body } = await call(address, crons[0].path, SECRET);
  assert.deepEqual({ status, body }, { status: 200, body: { ok: true, data: "Arc lamp: € 49.00" } });
  assert.deepEqual(await children(server.pid), []);
});

test("a wrong secret is refused, and so is none", async (t) => {
  const { address } = await serving({ SHOP_URL: `http://127.0.0.1:${await closedPort()}/` }, t);
  for (const secret of [undefined, "", SECRET.slice(1), `${SECRET}0`]) {
    const { status, body } = await call(address, "/api/lamp", secret);
    // Had it tried, the shop that is not there would have made this a 500.
    assert.deepEqual([status, body.ok], [401, false], `secret ${secret}`);
  }
});

test("without a secret of its own the function does nothing for anybody", async (t) => {
  const { address } = await serving({ CRON_SECRET: "" }, t);
  const { status, body } = await call(address, "/api/lamp", "");
  assert.equal(status, 500);
  assert.match(body.error, /CRON_SECRET/);
});

test("a failing page is told, and the session is closed", async (t) => {
  const site = await serve({ "/product/arc-lamp": "<main><h1>Closed for repairs</h1></main>" });
  const { address, server } = await serving({ SHOP_URL: `${site}/` }, t);
  const { status, body } = await call(address, "/api/lamp", SECRET);
  assert.deepEqual([status, body.ok], [500, false]);
  assert.match(body.error, /the cookies could not be answered/);
  assert.deepEqual(await children(server.pid), []);
});

test("a shop that is not there is told, and the session is closed", async (t) => {
  const shop = `http://127.0.0.1:${await closedPort()}/`;
  const { address, server } = await serving({ SHOP_URL: shop }, t);
  const { status, body } = await call(address, "/api/lamp", SECRET);
  assert.deepEqual([status, body.ok], [500, false]);
  assert.ok(body.error.includes(shop), body.error);
  assert.deepEqual(await children(server.pid), []);
});

test("only what is scheduled is served", async (t) => {
  const { address } = await serving({}, t);
  assert.equal((await call(address, "/api/other", SECRET)).status, 404);
});
