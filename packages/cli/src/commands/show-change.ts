import { printable } from "../output/printable.ts";
import { say } from "../output/write.ts";

/** Shows what is to be replaced by what, before anybody is asked: in the order of each, and which ones go and come. */
export const showChange = (name: string, before: readonly string[], after: readonly string[]): void => {
  const marked = (emails: readonly string[], others: readonly string[], mark: string): string =>
    emails.map((email) => printable(others.includes(email) ? email : `${mark}${email}`)).join(", ") ||
    "nobody";
  say(`${printable(name)} forwards`);
  say(`  before: ${marked(before, after, "-")}`);
  say(`  after:  ${marked(after, before, "+")}`);
};
