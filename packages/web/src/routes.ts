/** The views, each loaded when it is opened first. */
export const VIEWS = {
  aliases: async () => (await import("./aliases/aliases.tsx")).Aliases,
  alias: async () => (await import("./alias/alias.tsx")).Alias,
  newAlias: async () => (await import("./new-alias/new-alias.tsx")).NewAlias,
  recipients: async () => (await import("./recipients/recipients.tsx")).Recipients,
  blockedSenders: async () => (await import("./blocked-senders/blocked-senders.tsx")).BlockedSenders,
  webhooks: async () => (await import("./webhooks/webhooks.tsx")).Webhooks,
  keys: async () => (await import("./keys/keys.tsx")).Keys,
  settings: async () => (await import("./account/account.tsx")).Account,
};

export type Route = {
  readonly view: keyof typeof VIEWS;
  /** The id in the path; empty if it has none. */
  readonly id: string;
};

const PATHS: readonly (readonly [RegExp, Route["view"]])[] = [
  [/^\/$/, "aliases"],
  [/^\/new$/, "newAlias"],
  // The view of an alias reads which of its tabs is open.
  [/^\/aliases\/([^/]+)(?:\/(?:contacts|rules))?$/, "alias"],
  [/^\/recipients$/, "recipients"],
  [/^\/blocked-senders$/, "blockedSenders"],
  [/^\/webhooks$/, "webhooks"],
  [/^\/keys$/, "keys"],
  [/^\/settings$/, "settings"],
];

const decoded = (id: string): string | null => {
  try {
    return decodeURIComponent(id);
  } catch {
    return null;
  }
};

/** What a path shows; null if nothing is there. */
export const routeOf = (path: string): Route | null => {
  for (const [pattern, view] of PATHS) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const id = decoded(found[1] ?? "");
    return id === null ? null : { view, id };
  }
  return null;
};
