/**
 * Where the native half is: the library that was built where this package stands, or the package of this computer's
 * platform. Those packages are optional dependencies, so that npm installs the one that fits; nothing is fetched
 * later.
 */

import { existsSync } from "node:fs";
import path from "node:path";

import { AutomatorInitError } from "./errors";

/** What the packages of the platforms are called, before the name of the platform. */
const PREFIX = "automator-browser-";

/**
 * The file of the native half.
 *
 * @throws AutomatorInitError when there is none, with the platforms that there are.
 */
export function nativeFile(): string {
  for (const platform of platforms()) {
    const built = path.join(__dirname, "..", "native", `automator.${platform}.node`);
    if (existsSync(built)) return built;
    try {
      return require.resolve(`${PREFIX}${platform}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw missing();
}

/** The names of the platforms whose library may fit this computer. Which C library Linux has is not cheap to learn. */
function platforms(): string[] {
  const computer = `${process.platform}-${process.arch}`;
  switch (process.platform) {
    case "linux":
      return [`${computer}-gnu`, `${computer}-musl`];
    case "win32":
      return [`${computer}-msvc`];
    default:
      return [computer];
  }
}

/** Why there is no native half, and what to do. */
function missing(): AutomatorInitError {
  const manifest = require("../package.json") as { version: string; optionalDependencies?: Record<string, string> };
  const packages = Object.keys(manifest.optionalDependencies ?? {}).filter((name) => name.startsWith(PREFIX));
  const platform = platforms().at(isMusl() ? 1 : 0);
  if (packages.length === 0) {
    return failure(`there is no native part for ${platform}: it is not built yet`, "run `cargo xtask build node`");
  }
  const offered = packages.map((name) => name.slice(PREFIX.length)).join(", ");
  const fitting = `${PREFIX}${platform}`;
  if (!packages.includes(fitting)) {
    return failure(`there is no native part for ${platform}`, `there is one for ${offered}`);
  }
  return failure(
    `the package ${fitting} with the native part for this computer is not installed; there are packages for ${offered}`,
    `install it in the version ${manifest.version}; npm leaves it out with --omit=optional, and where node_modules or ` +
      "the lock file come from another kind of computer",
  );
}

function failure(message: string, hint: string): AutomatorInitError {
  return new AutomatorInitError(`${message} (${hint})`, { hint });
}

/** Whether this is a Linux with musl as its C library. */
function isMusl(): boolean {
  if (process.platform !== "linux") return false;
  const report = process.report.getReport() as unknown as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}
