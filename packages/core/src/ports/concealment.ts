/** Hides well-formed text so that only this deployment can read it. */
export type Concealment = {
  /**
   * Text that stands for `text` and reveals nothing about it but its length: letters, digits, `-` and `_`, longer than `text` in UTF-8 by
   * at most a third plus 22 characters. The same text in the same context always gives the same result, and in other contexts something
   * unrelated.
   */
  conceal(text: string, context: string): string;
  /** The text that was concealed in this context; null for anything else. */
  reveal(concealed: string, context: string): string | null;
};
