// Where the examples run: on the address given as the first argument, else on the shop of this repository; with the
// model given as the second argument, else with the stand-in of this repository, which needs no key.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The site, the model, and how what was started for them is stopped. */
export async function start(address = process.argv[2], model = process.argv[3]) {
  if (address !== undefined && model !== undefined) {
    return { site: `${address.replace(/\/+$/, "")}/`, model, stop() {} };
  }
  const words = ["run", "--quiet", "--package", "automator-testing", "--example", "bundled"];
  const server = spawn("cargo", words, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(server, "exit").then(() => {
    throw new Error("the shop did not start");
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(server.stdout), "line"), ended]);
  const bundled = JSON.parse(line);
  return {
    site: address === undefined ? bundled.site : `${address.replace(/\/+$/, "")}/`,
    email: bundled.email,
    password: bundled.password,
    model: model ?? bundled.model,
    stop: () => server.stdin.end(),
  };
}
