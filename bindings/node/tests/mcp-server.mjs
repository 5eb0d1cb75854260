// A server of one tool by the Model Context Protocol, over its standard streams.
import readline from "node:readline";

const TOOL = { name: "weather", description: "the weather of a city", inputSchema: { type: "object" } };

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } }),
  "tools/list": () => ({ tools: [TOOL] }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: `rain in ${given.city}, said ${process.env.SPEAKER}` }] }),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result: ANSWERS[method]?.(params) ?? {} }));
  }
}
