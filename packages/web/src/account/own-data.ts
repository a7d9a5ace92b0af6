import { ClientError, type Schemas } from "@postern/client";
import { effect, signal } from "@preact/signals";
import { api } from "../api/api.ts";
import { session } from "../session/session.ts";
import { announce } from "../ui/announcer.tsx";
import { words } from "../words/words.ts";
import { pause, persist } from "./persist.ts";

/** How far the file with somebody's own data is. */
export type OwnData =
  | { readonly type: "none" }
  | { readonly type: "lists" }
  | { readonly type: "aliases"; readonly done: number; readonly of: number }
  | { readonly type: "ready"; readonly file: string; readonly name: string; readonly aliases: number }
  | { readonly type: "failed"; readonly error: ClientError };

/** It goes on whatever view is shown. */
export const ownData = signal<OwnData>({ type: "none" });

/** How many requests an alias takes. */
const FOR_ALIAS = 3;

type Page = { readonly next_cursor: string | null };

/** The items of all pages of a list. */
const all = async <P extends Page, Item>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<{ readonly data: P }>,
  items: (page: P) => readonly Item[],
  cancelled: AbortSignal,
): Promise<readonly Item[]> => {
  const found: Item[] = [];
  let from: { readonly cursor?: string } = {};
  for (;;) {
    const page = { ...from, limit: 100 };
    const { data } = await persist(() => read(page), cancelled);
    found.push(...items(data));
    if (data.next_cursor === null) return found;
    from = { cursor: data.next_cursor };
  }
};

/** An alias with what belongs to it, as JSON; null if it has been removed for good meanwhile. */
const aliasJson = async (alias: Schemas["Alias"], signal: AbortSignal): Promise<string | null> => {
  const { alias_id } = alias;
  try {
    const [website, rules, contacts] = await Promise.all([
      persist(() => api.getAliasWebsite(alias_id, { signal }), signal),
      persist(() => api.getAliasRules(alias_id, { signal }), signal),
      all(
        (page) => api.listContacts(alias_id, page, { signal }),
        ({ contacts }) => contacts,
        signal,
      ),
    ]);
    return JSON.stringify({ ...alias, ...website.data, rules: rules.data, contacts }, null, 2);
  } catch (error) {
    if (error instanceof ClientError && error.code === "alias_not_found") return null;
    throw error;
  }
};

/** Waits as long as the requests so far would take away what other views need: half of what the service allows is for them. */
const paced = (perMinute: number | null, signal: AbortSignal) => {
  const begun = Date.now();
  return async (requests: number): Promise<void> => {
    if (perMinute === null) return;
    // At first, half of a minute's requests at once.
    const earliest = begun + 60_000 * (requests / (perMinute / 2) - 1);
    if (earliest > Date.now()) await pause(earliest - Date.now(), signal);
  };
};

/** The file, in parts: it can be too long for one text. */
const collect = async (perMinute: number | null, signal: AbortSignal) => {
  const aliases = ({ aliases }: Schemas["AliasPage"]) => aliases;
  const live = await all((page) => api.listAliases(page, { signal }), aliases, signal);
  const deleted = await all(
    (page) => api.listAliases({ ...page, deleted: true }, { signal }),
    aliases,
    signal,
  );
  const lists = {
    exported: new Date().toISOString(),
    recipients: await all(
      (page) => api.listRecipients(page, { signal }),
      ({ recipients }) => recipients,
      signal,
    ),
    blocked_senders: await all(
      (page) => api.listBlockedSenders(page, { signal }),
      ({ blocked_senders }) => blocked_senders,
      signal,
    ),
    ...(await persist(() => api.listWebhooks({ signal }), signal)).data,
    ...(await persist(() => api.listApiKeys({ signal }), signal)).data,
  };
  const wait = paced(perMinute, signal);
  const found: string[] = [];
  for (const [index, alias] of [...live, ...deleted].entries()) {
    ownData.value = { type: "aliases", done: index, of: live.length + deleted.length };
    await wait(index * FOR_ALIAS);
    const json = await aliasJson(alias, signal);
    if (json !== null) found.push(found.length === 0 ? json : `,\n${json}`);
  }
  // In place of the brace at its end, the aliases.
  const head = JSON.stringify(lists, null, 2).slice(0, -2);
  return { aliases: found.length, parts: [`${head},\n"aliases": [\n`, ...found, "\n]}\n"] };
};

let cancel = (): void => {};

/** Stops, and forgets what was read. */
export const forgetOwnData = (): void => {
  cancel();
  cancel = () => {};
  if (ownData.value.type === "ready") URL.revokeObjectURL(ownData.value.file);
  ownData.value = { type: "none" };
};

/** Begins to make the file. Somebody else who signs in does not get it. */
export const makeOwnData = async (perMinute: number | null): Promise<void> => {
  forgetOwnData();
  const stop = new AbortController();
  const sub = session.value?.sub;
  const unwatch = effect(() => {
    if (session.value?.sub !== sub) queueMicrotask(forgetOwnData);
  });
  cancel = () => {
    stop.abort();
    unwatch();
  };
  ownData.value = { type: "lists" };
  try {
    const { aliases, parts } = await collect(perMinute, stop.signal);
    if (stop.signal.aborted) return;
    const file = URL.createObjectURL(new Blob(parts, { type: "application/json" }));
    const name = `postern-${new Date().toISOString().slice(0, 10)}.json`;
    ownData.value = { type: "ready", file, name, aliases };
    announce(words.settings.ready(aliases));
  } catch (error) {
    if (stop.signal.aborted) return;
    if (!(error instanceof ClientError)) throw error;
    ownData.value = { type: "failed", error };
  }
};
