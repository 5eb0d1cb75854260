/** Headers that are sent with requests. */

import { AutomatorInvalidArgumentError } from "./errors";
import { kindOf, optionsObject, optionsText } from "./json";

/** Headers as text; their values must be texts. */
export function headersText(headers: Record<string, string>): string {
  for (const [name, value] of Object.entries(optionsObject("headers", headers))) {
    if (typeof value !== "string") {
      throw new AutomatorInvalidArgumentError(`the header ${name} must be a text, not ${kindOf(value)}`);
    }
  }
  return optionsText("headers", headers);
}
