// The types of the page library, for the checks of `cargo xtask check`; nothing of it reaches a page.

/** Where a step of an XPath leads: a `//` step goes down any number of levels, through shadow roots. */
export interface Step {
  axis: 'child' | 'descendant';
  /** In lower case; `*` is any element. */
  name: string;
  predicates: Expression[];
}

/** An XPath that `src/selector/xpath.rs` has read. */
export interface Path {
  group?: { path: Path; predicates: Expression[] };
  steps: Step[];
  indexed: boolean;
}

export type Query =
  | { kind: 'css'; selector: string }
  | ({ kind: 'path' } & Path)
  | { kind: 'text'; words: string }
  | { kind: 'xpath'; expression: string };

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Expression =
  | { is: 'or' | 'and'; of: Expression[] }
  | { is: 'not'; of: Expression }
  | { is: 'position'; compare: Comparison; number: number }
  | { is: 'last' }
  | { is: 'contains' | 'startsWith'; text: Operand; part: Operand }
  | { is: 'exists'; operand: Operand }
  | { is: 'compare'; left: Operand; compare: Comparison; right: Operand };

export type Operand =
  | { is: 'attribute'; name: string }
  | { is: 'text' | 'content' | 'name' }
  | { is: 'literal'; value: string }
  | { is: 'number'; value: number }
  | { is: 'normalizeSpace'; of: Operand };

export type Root = Document | ShadowRoot;

/** What has children that are elements. */
export type Place = Root | Element;

/** What is wanted of which element. Times are in milliseconds. */
export interface Request {
  query: Query;
  /** Which of several matches. */
  index: number;
  /** How long it may take to appear. */
  appear: number;
  /** How long it may then take to become ready. */
  ready: number;
  /** The tag that it must have, if it is followed through its path. */
  tag: string | null;
  action: 'aim' | 'fillStart';
  options: any;
}

/** Why an element cannot be used now. */
export interface Problem {
  why: string;
  by?: string;
  offered?: string[];
}

export interface Outcome {
  is: string;
  value?: any;
  problem?: Problem | string;
}

/** A press that is to be watched. */
export interface Coming {
  /** The name of its guard. */
  name: string;
  /** How many presses belong together; none when they are meant for a frame in this document. */
  presses: number;
  /** Whether a finger does it. */
  isTap: boolean;
}

/** What `watch` has seen. */
export interface Guard {
  name: string;
  target: Element;
  /** What is meant by it. */
  element: Element;
  /** What was at the point. */
  hit: Element | null;
  /** Where it is pressed, in the viewport of this document. */
  at: { x: number; y: number };
  /** As in `Coming`. */
  presses: number;
  /** How the checkbox or radio button that a press is for was before. */
  before: { checked: boolean; indeterminate: boolean };
  pressed: boolean;
  /** The innermost node that the last press reached. */
  pressedNode: Node | null;
  released: boolean;
  /** How many clicks have come. */
  clicks: number;
  /** Whether one of them was of the first button. */
  toggled: boolean;
  /** Whether the end of a press, or its click, reached something else. */
  strayed: boolean;
  /**
   * Whether the element could still be pressed when the beginning of the press took the focus away from a field;
   * null when it has taken it from none.
   */
  stood: boolean | null;
  /** Whether the page has changed something outside of the element up to then. */
  hasTouched: boolean;
  /** Whether it has said of the element that its state is another. */
  isAnswered: boolean;
  /** Whether the focus went into a frame instead. */
  entered: boolean;
  /** The events of the finger that have come. */
  touches: Event[];
  /** What the press would have reached instead. */
  blocked: string | null;
  /** Ends when all of the press has come, or is not waited for any more. */
  over: Promise<unknown>;
  end(): void;
}

/** An option by its value, label or text; by what people see of it before its value; or by its index. */
export type WantedOption = string | number | { shown: string };

/** What the type library does not have yet. */
declare global {
  const scheduler: { postTask(task: () => void, options: { priority: 'user-blocking' }): Promise<unknown> };
}

/** The object that holds the functions of this folder, one of each file; their `this`. */
export interface Library {
  /** The one that it was made for. */
  document?: Document;
  closedRoots?: WeakMap<Element, ShadowRoot>;
  dropWatch?: { came(): boolean; end(): void };
  dragWatch?: { began(): boolean; end(): void };
  pictureUndo?: (() => void)[];
  scrollWatch?: { seen: boolean; moving: Map<EventTarget | null, number>; end(): void };
  guard?: Guard;
  unwatch?: () => void;
  /** Whether tasks that the document put off at a press have not been waited for. */
  owesTurn?: boolean;
  unwatchKeys?: () => number;
  effect?: () => Outcome | Promise<Outcome>;
  /** What is being filled, what it held, and whether the page has heard of input since. */
  filling?: { field: HTMLElement; before: string; isHeard: boolean; end?: () => void };
  filing?: { input: HTMLInputElement; seen: number };
  listedOption?: Element;
  changed?: { at: number };
  /** What the list showed before it was opened. */
  listShowed?: string;
  listedBefore?: WeakSet<Element>;
  keptElement?: Element;
  above(node: Node): Element | null;
  aim(element: Element, options: any): Promise<Outcome>;
  fillStart(element: Element, options: any): Outcome;
  around(frame: Element, x: number, y: number): { x: number; y: number };
  atPoint(x: number, y: number): Element | null;
  boxes(element: Element): DOMRect[];
  checkable(element: Element): HTMLInputElement | null;
  describe(element: Element | null): string;
  field(element: Element, fields: string): Element;
  fieldText(field: Element): string;
  find(query: Query, limit: number, root: Root | null, ...closedRoots: ShadowRoot[]): Element[] | string;
  findText(words: string, root: Root): Element[];
  holdsText(field: Element, wanted: string, before: string): boolean;
  isDrawn(element: Element): boolean;
  isSpread(field: HTMLElement, text: string): boolean;
  isTyped(field: Element, text: string, before: string): boolean;
  isStill(element: Element): Promise<boolean>;
  isVisible(element: Element): boolean;
  fate(guard: Guard, isTap: boolean): 'arrived' | 'missed' | 'lost';
  leaveField(target: Element): void;
  listText(element: Element): string;
  knowRoots(closedRoots: ShadowRoot[]): WeakMap<Element, ShadowRoot>;
  locate(request: Request, element: Element | null, root: Root | null): Element | string | null;
  nextFrame(): Promise<void>;
  noText(field: HTMLElement, text: string): string | null;
  numbers(text: string): number[];
  obstacle(element: Element): Problem | null;
  option(options: HTMLOptionElement[], choice: WantedOption): HTMLOptionElement | undefined;
  pause(milliseconds: number): Promise<void>;
  setValue(input: HTMLInputElement, text: string, value: object): Outcome;
  takeTurn(): Promise<void>;
  withinFrames(promise: Promise<unknown>, most: number): Promise<void>;
  points(element: Element, position: { x: number; y: number } | null): { x: number; y: number }[];
  pressable(element: Element): Element;
  purpose(element: Element, byEnter: boolean): object;
  ready(value: unknown, effect: () => Outcome | Promise<Outcome>): Outcome;
  reaches(element: Element, hit: Element | null): boolean;
  textField(element: Element): HTMLElement;
  watch(coming: Coming, target: Element, element: Element, at: { x: number; y: number }, hit: Element | null): void;
  judgePress(guard: Guard, event: Event): void;
  mayChoose(element: Element): boolean;
  maySprout(element: Element): boolean;
  whenHeard(event: Event, target: Element, tell: () => void, signal: AbortSignal): void;
  choose(select: Element, options: any): Outcome;
  /** When the document will have come to rest if nothing more happens; a time of `performance.now()`. */
  restsAt?: (quietMs: number) => number;
  begin(): Library;
  children(place: Place, step: Step): Element[];
  compare(left: number | string, sign: Comparison, right: number | string): boolean;
  composed(root: Place): Iterable<Element | ShadowRoot>;
  descendants(place: Place, step: Step): Element[];
  filter(elements: Element[], predicates: Expression[]): Element[];
  findCss(selector: string, root: Root | Element): Element[];
  findPath(path: Path, root: Root): Element[];
  findXPath(expression: string, root: Root): Element[];
  holds(expression: Expression, element: Element, position: number, size: number): boolean;
  inOrder(elements: Set<Element>, root: Root): Element[];
  isElement(node: Node | null): node is Element;
  shadowRoot(place: Place): ShadowRoot | null;
  settled(quietMs: number): Promise<void>;
  undoPicture(): void;
  strings(operand: Operand, element: Element): (string | number)[];
  whenIdle(): Promise<void>;
  watchLeaving(guard: Guard, press: Event, signal: AbortSignal): void;
  watchRoots(element: Element, left: number, watch: (root: ShadowRoot) => void): number;
}
