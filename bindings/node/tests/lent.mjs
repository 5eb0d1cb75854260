// Browsers that are lent to tests instead of being started by them.
import net from "node:net";
import { createInterface } from "node:readline";

/** Where browsers are lent; `cargo xtask test` starts the lender and sets it. */
const VARIABLE = "AUTOMATOR_TEST_BROWSERS";

/**
 * The launch options that join a browser which is as good as new, and how it is given back: until then nobody else has
 * it. The options are empty when nobody lends browsers, or too many are lent: the session starts one of its own then.
 */
export async function lentBrowser() {
  const lender = process.env[VARIABLE];
  if (lender === undefined) return { launch: {}, giveBack() {} };
  const [, host, port] = /^(.*):(\d+)$/.exec(lender);
  // The open connection is what holds the browser.
  const connection = net.connect({ host, port: Number(port) });
  const cdpUrl = await new Promise((resolve, reject) => {
    connection.once("error", reject);
    connection.once("end", () => reject(new Error(`nobody lends browsers at ${lender}`)));
    createInterface(connection).once("line", resolve);
  });
  return { launch: cdpUrl === "" ? {} : { cdpUrl }, giveBack: () => connection.destroy() };
}
