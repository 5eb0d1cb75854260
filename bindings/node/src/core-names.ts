/** Names that the core tells in errors, as programs in TypeScript write them. */

/** Those that are not just written together. */
const OPERATIONS: Record<string, string> = {
  page_text: "extract",
  type_text: "type",
  set_extra_http_headers: "setExtraHTTPHeaders",
  send_cdp: "sendCDP",
  connect_url: "connectURL",
  page_of_target: "options.page",
  events: "on",
};

/** An operation by the name of its method. */
export function operationName(told: string): string {
  return OPERATIONS[told] ?? told.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Hints in which the core names its own methods; a test looks for more of them in its source. */
const HINTS: Record<string, string> = {
  "open one with new_page()": "open one with context.newPage()",
  "set REMOTE_API_KEY or pass api_key": "set REMOTE_API_KEY or pass apiKey",
  "say what to extract, or use page_text()": "say what to extract, or call extract() without an instruction",
};

/** A hint with the names of this package. */
export function hintText(told: string): string {
  return HINTS[told] ?? told;
}
