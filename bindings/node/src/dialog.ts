/** Dialogs that pages open. */

/** A dialog that has been answered. */
export interface ReportedDialog {
  type: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  /** What a prompt offers as an answer. */
  defaultValue: string | null;
  /** The address of the frame that opened it. */
  url: string;
  /** Whether it was accepted, and not dismissed. */
  accepted: boolean;
  /** The text that a prompt was answered with. */
  answer: string | null;
  /** The target id of the page that opened it. */
  pageId: string;
}
