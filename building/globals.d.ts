// What scripts of the pages find in their window, for the check of their types.

/** What htmx says of a request. */
interface HtmxContext {
  sourceElement: Element;
  target?: HTMLElement;
  request: { method: string; action: string };
  response: { status: number };
  text: string;
}

declare var htmx: {
  trigger(element: Element, event: string): void;
  registerExtension(name: string, does: object): void;
  ajax(method: string, address: string, swapping: { target: string; swap: string }): Promise<void>;
};

/** Scripts that modules find in their window: `typed.js` and `word.js`. */
declare var Typed: {
  number(text: string): number | null;
  read(game: string, what: string, at: number): Record<string, string>;
  write(game: string, what: string, at: number, fields: Record<string, string>): void;
};
declare var newWord: (seat: number) => string;
