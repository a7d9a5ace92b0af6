import type { Store } from "@postern/core";

/** A store that records which of its operations are called. */
export const watched = (store: Store) => {
  let called: string[] = [];
  const watch = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value === "function") called.push(String(name));
        return value;
      },
    });
  return {
    store: { ...store, aliases: watch(store.aliases), recipients: watch(store.recipients) },
    calls: (): readonly string[] => called,
    forget: (): void => {
      called = [];
    },
  };
};
