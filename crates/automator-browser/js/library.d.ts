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

/** The object that holds the functions of this folder, one of each file; their `this`. */
export interface Library {
  closedRoots?: WeakMap<Element, ShadowRoot>;
  dragWatch?: { began(): boolean; end(): void };
  scrollWatch?: { seen: boolean; moving: Map<EventTarget | null, number>; end(): void };
  children(place: Place, step: Step): Element[];
  compare(left: number | string, sign: Comparison, right: number | string): boolean;
  composed(root: Place): Iterable<Element | ShadowRoot>;
  descendants(place: Place, step: Step): Element[];
  filter(elements: Element[], predicates: Expression[]): Element[];
  findCss(selector: string, root: Root): Element[];
  findPath(path: Path, root: Root): Element[];
  findXPath(expression: string, root: Root): Element[];
  holds(expression: Expression, element: Element, position: number, size: number): boolean;
  inOrder(elements: Set<Element>, root: Root): Element[];
  isElement(node: Node | null): node is Element;
  shadowRoot(place: Place): ShadowRoot | null;
  strings(operand: Operand, element: Element): (string | number)[];
}
