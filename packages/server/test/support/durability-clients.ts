import { expect } from "vitest";
import { z } from "zod";
import type { Ledger, Toggle } from "./durability-ledger.ts";
import { Alias, type Recipient, requestOf, type Write } from "./durability-writes.ts";

/** So few that clients meet on them, and that some recipients are free to be switched off. */
const PLACES = 10;

const below = (n: number): number => Math.floor(Math.random() * n);

export type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly version: number; readonly body: unknown } | null>;

/** Calls the API as the token's account. Null where there was no whole answer: nobody knows then what was done. */
export const callerOf =
  (url: string, token: string): Call =>
  async (method, path, body) => {
    try {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const version = Number(answer.headers.get("etag")?.replaceAll('"', ""));
      return { status: answer.status, version, body: await answer.json() };
    } catch {
      return null;
    }
  };

const Recipients = z.object({
  recipients: z.array(
    z.object({
      recipient_id: z.string(),
      recipient_email: z.string(),
      verified: z.boolean(),
      active: z.boolean(),
      alias_count: z.number(),
    }),
  ),
});
const Page = z.object({ aliases: z.array(Alias), next_cursor: z.string().nullable() });

const listAliases = async (call: Call, deleted: boolean): Promise<readonly Alias[]> => {
  const all: Alias[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = Page.parse((await call("GET", `/aliases?limit=100&deleted=${deleted}${after}`))?.body);
    all.push(...page.aliases);
    cursor = page.next_cursor;
  }
  return all;
};

/** All that the account has. */
export const readEverything = async (call: Call) => ({
  aliases: [...(await listAliases(call, false)), ...(await listAliases(call, true))],
  ...Recipients.parse((await call("GET", "/recipients?limit=100"))?.body),
});

/** Refused for what another client did. After 503 the write may have been made all the same. */
const REFUSALS = [409, 422, 503];

/**
 * Clients of one account that write as fast as they are answered, until they are not. They end together with
 * the server; `onAcknowledged` is called for each write promised.
 */
export const clientsOf = (
  call: Call,
  ledger: Ledger,
  recipients: readonly Recipient[],
  onAcknowledged: () => void,
) => {
  // Every alias that holds recipients is in play, as are some that can be restored.
  const known = ledger.aliases().toSorted((a, b) => (a.datetime_deleted ?? 0) - (b.datetime_deleted ?? 0));
  const live = known.filter(({ datetime_deleted }) => datetime_deleted === null).length;
  const places = known.slice(0, Math.max(PLACES, live)).map(({ alias_id }) => alias_id);

  /** One or two, in either order. */
  const some = (): readonly Recipient[] => recipients.toSorted(() => below(3) - 1).slice(0, 1 + below(2));
  const creation = (): Write => ({
    kind: "create",
    email: `a-${crypto.randomUUID()}@alias.example.com`,
    recipients: some(),
  });
  const changeOf = (id: string): Write => {
    if (ledger.alias(id)?.datetime_deleted !== null) return { kind: "restore", id };
    switch (below(6)) {
      case 0:
        return { kind: "delete", id };
      case 1:
      case 2:
        return { kind: "patch", id, description: crypto.randomUUID(), active: below(2) === 0 };
      default:
        return { kind: "replace", id, recipients: some() };
    }
  };

  /** Sends one write. Whether there was an answer. */
  const write = async (): Promise<boolean> => {
    const place = below(PLACES);
    const id = places[place];
    const gone = id === undefined || (ledger.alias(id)?.datetime_deleted !== null && below(2) === 0);
    const wanted = gone ? creation() : changeOf(id);
    ledger.asked(wanted);
    const { method, path, body } = requestOf(wanted);
    const answer = await call(method, path, body);
    if (answer === null) return false;
    if (answer.status >= 300) {
      expect(REFUSALS, path).toContain(answer.status);
      if (answer.status !== 503) ledger.refused(wanted);
      return true;
    }
    const alias = ledger.kept(wanted, answer.body, answer.version);
    if (wanted.kind === "create") places[place] = alias.alias_id;
    onAcknowledged();
    return true;
  };

  const toggle = async (): Promise<boolean> => {
    const { id } = recipients[below(recipients.length)] ?? expect.unreachable("there are recipients");
    const wanted: Toggle = { kind: "toggle", id, active: !ledger.isActive(id) };
    ledger.asked(wanted);
    const answer = await call("PATCH", `/recipients/${id}`, { active: wanted.active });
    if (answer === null) return false;
    if (answer.status >= 300) {
      expect(REFUSALS).toContain(answer.status);
      if (answer.status !== 503) ledger.refused(wanted);
      return true;
    }
    ledger.toggled(wanted);
    onAcknowledged();
    return true;
  };

  const untilGone = async (step: () => Promise<boolean>) => {
    while (await step());
  };
  /** Only one switches recipients: these have no version that would tell which answer is newer. */
  return Promise.all([toggle, ...Array.from({ length: 6 }, () => write)].map(untilGone));
};
