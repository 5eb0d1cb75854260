// Serves the functions that vercel.json names, as that host does: to try them out, and for a machine or container of
// your own, where cron calls them.
//
//   CRON_SECRET=… PORT=8080 node serve.mjs
import { readFile } from "node:fs/promises";
import http from "node:http";

const { crons } = JSON.parse(await readFile(new URL("vercel.json", import.meta.url), "utf8"));
const functions = new Map();
for (const { path } of crons) functions.set(path, (await import(`.${path}.mjs`)).GET);

/** What the function behind an address answers. */
async function answer({ method, url, headers }) {
  const address = new URL(url, "http://localhost");
  const respond = functions.get(address.pathname);
  if (respond === undefined) {
    return Response.json({ ok: false, error: `there is no function at ${address.pathname}` }, { status: 404 });
  }
  if (method !== "GET") {
    return Response.json({ ok: false, error: `${method} is not answered, only GET` }, { status: 405 });
  }
  return await respond(new Request(address, { headers }));
}

const server = http.createServer(async (request, response) => {
  const { status, headers, body } = await answer(request).then(
    async (given) => ({ status: given.status, headers: Object.fromEntries(given.headers), body: await given.text() }),
    (error) => ({ status: 500, headers: {}, body: JSON.stringify({ ok: false, error: error.message }) }),
  );
  response.writeHead(status, headers).end(body);
});
server.listen(Number(process.env.PORT ?? 0), process.env.HOST ?? "127.0.0.1", () => {
  const { address, port } = server.address();
  console.log(`http://${address}:${port}`);
});
// What is under way is answered first.
process.once("SIGTERM", () => server.close());
