import { type Signal, signal } from "@preact/signals";

/** What was typed and is not saved: it outlives its view, and a sign-in. Never a secret. */
const drafts = new Map<string, Signal<unknown>>();

/**
 * What was typed in a form; null if nothing was. Set it to null when it has been saved.
 *
 * @param key names the form, and what it changes: two forms with the same key would share their text
 */
export const draft = <T>(key: string): Signal<T | null> => {
  let found = drafts.get(key);
  if (found === undefined) {
    found = signal(null);
    drafts.set(key, found);
  }
  // The key says what it holds.
  return found as Signal<T | null>;
};

/** The drafts as data that survives JSON, for the time at the provider's page. */
export const takeDrafts = (): readonly (readonly [string, unknown])[] =>
  [...drafts].map(([key, { value }]) => [key, value] as const).filter(([, value]) => value !== null);

export const putDrafts = (taken: readonly (readonly [string, unknown])[]): void => {
  for (const [key, value] of taken) draft(key).value = value;
};

export const forgetDrafts = (): void => {
  for (const each of drafts.values()) each.value = null;
};
