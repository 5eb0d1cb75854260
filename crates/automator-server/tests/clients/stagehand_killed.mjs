// Starts a session without `keepAlive`, says which, and waits to be killed.

import { Stagehand } from "@browserbasehq/stagehand";

const { SERVER, KEY, MODEL } = process.env;
process.env.STAGEHAND_API_URL = SERVER;
process.env.BROWSERBASE_BASE_URL = SERVER;
const stagehand = new Stagehand({
  env: "BROWSERBASE",
  apiKey: KEY,
  projectId: "ours",
  model: { modelName: "openai/gpt-4.1-mini", apiKey: "sk-test", baseURL: MODEL },
  verbose: 0,
  disablePino: true,
});
await stagehand.init();
console.log(stagehand.browserbaseSessionID ?? stagehand.browserbaseSessionId);
setInterval(() => {}, 1000);
