// `automator serve` in a folder of its own, for one file of tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The first line that a program says. */
async function firstLine(child, name) {
  const ended = once(child, "exit").then(() => {
    throw new Error(`${name} did not start`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  return line;
}

/** Builds the command when that is needed, starts a server, and gives `{ url, apiKey }`; it ends after the tests. */
export async function startPlatform() {
  const folder = await mkdtemp(path.join(tmpdir(), "automator-server-"));
  const words = ["run", "--quiet", "--package", "automator-cli", "--", "serve"];
  const child = spawn("cargo", [...words, "--listen", "127.0.0.1:0", "--folder", folder, "--json"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    // Its own group, so that the signal reaches the server and not only Cargo.
    detached: true,
  });
  after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      process.kill(-child.pid, "SIGINT");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });
  return JSON.parse(await firstLine(child, "automator serve"));
}

/** The bundled shop and its stand-in for a model; they end after the tests. */
export async function startShop() {
  const words = ["run", "--quiet", "--package", "automator-testing", "--example", "bundled"];
  const child = spawn("cargo", words, { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  after(() => child.stdin.end());
  return JSON.parse(await firstLine(child, "the shop"));
}
