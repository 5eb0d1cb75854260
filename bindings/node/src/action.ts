/** What can be done to an element, and what came of doing it. */

/** One thing to do: `observe()` gives these, `act()` takes them back, without a model. */
export interface Action {
  /** The element: an absolute XPath with `xpath=` when the library made it; any selector otherwise. */
  selector: string;
  /** The element in words; what a new search for it goes by when it is gone. */
  description: string;
  /** What to do: `click`, `fill`, `press`, … */
  method?: string | undefined;
  /** What the method needs: the text of `fill`, the key of `press`, … May hold `%name%`. */
  arguments?: string[] | undefined;
}

/** What came of `act()`. */
export interface ActResult {
  /** Whether the page shows the effect. */
  success: boolean;
  /** What was done, or why not. */
  message: string;
  /** The element of the first action in words; the instruction when there was none. */
  actionDescription: string;
  /** What was done, as `act()` takes it back. */
  actions: Action[];
  /** Present only on the remote platform. */
  cacheStatus?: "HIT" | "MISS";
}
