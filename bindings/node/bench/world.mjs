// A process of its own: pages of articles with prices, and a stand-in for a model that reads prices off page texts.
// Its parent forks it and is told the address; it ends with its parent.
import http from "node:http";

/** How many articles a page has. */
export const ARTICLES = 50;

/** What an article of a page costs: another price for each. */
export function priceOf(page, article) {
  return `${page * 1_000 + article}.${String((page * 7 + article * 13) % 100).padStart(2, "0")}`;
}

function html(page) {
  const articles = Array.from({ length: ARTICLES }, (_, article) =>
    `<li><h2>Article ${article}</h2><p>Article ${article} costs ${priceOf(page, article)} euro</p>
     <a href="/page/${page}/${article}">Details of ${article}</a> <button>Buy ${article}</button></li>`);
  return `<!doctype html><title>Shop ${page}</title><h1>Shop ${page}</h1><ul>${articles.join("")}</ul>`;
}

/** The answer to a request: what the page text in it says about the article that it asks for. */
function answer(request) {
  const text = request.messages.map(({ content }) =>
    typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n")).join("\n");
  const asked = /the price of article number (\d+)\b/.exec(text)?.[1];
  const shop = /heading: (Shop \d+)/.exec(text)?.[1] ?? "";
  const price = new RegExp(`Article ${asked} costs (\\S+) euro`).exec(text)?.[1] ?? "";
  return JSON.stringify({ shop, price });
}

async function serve(request, response) {
  const page = /^\/page\/(\d+)/.exec(request.url)?.[1];
  if (page !== undefined) {
    response.writeHead(200, { "content-type": "text/html" }).end(html(Number(page)));
    return;
  }
  if (request.method !== "POST") {
    response.writeHead(404).end();
    return;
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  const content = answer(JSON.parse(Buffer.concat(parts).toString()));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({
    id: "1", object: "chat.completion", created: 1, model: "scripted",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 1_000, completion_tokens: 20, total_tokens: 1_020 },
  }));
}

if (process.send !== undefined) {
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1", () => process.send(`http://127.0.0.1:${server.address().port}`));
  process.on("disconnect", () => process.exit());
}
