/** Options of page calls. What they mean is decided in the core; `interface/page-call-options.json` lists them. */

import type { Locator } from "./locator";

/** How far a page must come. */
export type WaitUntil = "commit" | "domcontentloaded" | "load" | "networkidle";

/** How a page goes somewhere. */
export interface GotoOptions {
  /** How far the page must come. Default: `domcontentloaded`. */
  waitUntil?: WaitUntil | undefined;
  /** The limit of time in milliseconds; 0 is none. Default: 15000. */
  timeoutMs?: number | undefined;
}

/** How a page is loaded anew. */
export interface ReloadOptions extends GotoOptions {
  /** Asks the servers again for what is in the browser's cache. Default: false. */
  ignoreCache?: boolean | undefined;
}

/** What an element is waited to be. */
export interface SelectorWaitOptions {
  /** Default: `visible`. */
  state?: "attached" | "detached" | "visible" | "hidden" | undefined;
  /** The limit of time in milliseconds. Default: 30000. */
  timeout?: number | undefined;
  /** Shadow roots are always looked into. */
  pierceShadow?: true | undefined;
}

/** A key that is held. */
export type Modifier = "Alt" | "Control" | "Meta" | "Shift";

/** How a page clicks. */
export interface ClickOptions {
  /** Which button. Default: `left`. */
  button?: "left" | "right" | "middle" | undefined;
  /** How many clicks follow each other as one gesture. Default: 1. */
  clickCount?: number | undefined;
  /** Keys that are held meanwhile. Default: none. */
  modifiers?: Modifier[] | undefined;
  /** How long the button stays down in each click, in milliseconds. Default: 0. */
  delay?: number | undefined;
  /** Whether the XPath of the element under the point is wanted. Default: false. */
  returnXpath?: boolean | undefined;
}

/** How a page hovers, scrolls and taps. */
export interface PointOptions {
  /** Keys that are held meanwhile. Default: none. */
  modifiers?: Modifier[] | undefined;
  /** Whether the XPath of the element under the point is wanted. Default: false. */
  returnXpath?: boolean | undefined;
}

/** How a page drags. */
export interface DragOptions {
  /** How many moves lead from the start to the end. Default: 1. */
  steps?: number | undefined;
  /** How long to wait after the press, after each move, and before the release, in milliseconds. Default: 0. */
  delay?: number | undefined;
  /** Which button. Default: `left`. */
  button?: "left" | "right" | "middle" | undefined;
  /** Keys that are held meanwhile. Default: none. */
  modifiers?: Modifier[] | undefined;
  /** Whether the XPaths of the elements at start and end are wanted. Default: false. */
  returnXpath?: boolean | undefined;
}

/** How a page types. */
export interface TypingOptions {
  /** How long to wait after each character, in milliseconds. Default: 0. */
  delay?: number | undefined;
  /**
   * Hits a neighbouring key now and then and takes that back with the Backspace key, as people do. The same text
   * always gets the same mistakes. Default: false.
   */
  withMistakes?: boolean | undefined;
}

/** How a page presses a key. */
export interface KeyPressOptions {
  /** How long the key stays down, in milliseconds. Default: 0. */
  delay?: number | undefined;
}

/** How a viewport is sized. */
export interface ViewportSizeOptions {
  /** Device pixels per CSS pixel. Default: as it is at present. */
  deviceScaleFactor?: number | undefined;
}

/** How a picture is taken. */
export interface ScreenshotOptions {
  /** The format of the file. Default: `png`. */
  type?: "png" | "jpeg" | "webp" | undefined;
  /** How good a JPEG or WebP is, from 1 to 100. Default: the browser's. */
  quality?: number | undefined;
  /** The whole page and not only what the viewport shows. Default: false. */
  fullPage?: boolean | undefined;
  /** A part of the viewport. Default: all of it. */
  clip?: { x: number; y: number; width: number; height: number } | undefined;
  /** What to cover with boxes: selectors, or locators, which stand for theirs. Default: nothing. */
  mask?: (string | Locator)[] | undefined;
  /** The colour of those boxes, as CSS has it. Default: `#FF00FF`. */
  maskColor?: string | undefined;
  /** Leaves out the white behind pages. Default: false. */
  omitBackground?: boolean | undefined;
  /** A style sheet that holds while the picture is taken. Default: none. */
  style?: string | undefined;
  /** What becomes of the text cursor. Default: `hide`. */
  caret?: "hide" | "initial" | undefined;
  /** What becomes of animations. Default: `allow`. */
  animations?: "allow" | "disabled" | undefined;
  /** How many pixels the picture has. Default: `device`. */
  scale?: "css" | "device" | undefined;
  /** A file to write the picture to. Default: none. */
  path?: string | undefined;
  /** The limit of time in milliseconds; 0 is none. Default: 30000. */
  timeout?: number | undefined;
}

/** How a page is read. */
export interface SnapshotOptions {
  /** Limits the snapshot to one part of the page. Default: the whole page. */
  selector?: string | undefined;
  /** Selectors whose elements are left out with all that is below them. */
  ignoreSelectors?: string[] | undefined;
  /** Reads the content of frames, too. Default: true. */
  includeIframes?: boolean | undefined;
  /** The limit of time in milliseconds; 0 is none. Default: 30000. */
  timeout?: number | undefined;
}

/** The page as text with ids, and what belongs to them. */
export interface Snapshot {
  /** An indented outline, one element or piece of text a line. */
  formattedTree: string;
  /** The absolute XPath of each id. */
  xpathMap: Record<string, string>;
  /** The address that each id leads to. */
  urlMap: Record<string, string>;
}
