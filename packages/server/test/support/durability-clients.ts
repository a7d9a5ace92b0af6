import { expect } from "vitest";
import * as z from "zod";
import type { Ledger, Toggle } from "./durability-ledger.ts";
import { Alias, type Recipient, requestOf, type Write } from "./durability-writes.ts";

/**
 * How many aliases the clients write to: few enough to contend, and to leave some recipients detached, so that they can be
 * deactivated.
 */
const SLOTS = 10;

const below = (n: number): number => Math.floor(Math.random() * n);

export type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly version: number; readonly body: unknown } | null>;

/** Calls the API as the token's account. Null without a complete response: the outcome is then unknown. */
export const callerOf =
  (url: string, token: string): Call =>
  async (method, path, body) => {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const version = Number(response.headers.get("etag")?.replaceAll('"', ""));
      return { status: response.status, version, body: await response.json() };
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

/** All aliases and recipients of the account. */
export const readEverything = async (call: Call) => ({
  aliases: [...(await listAliases(call, false)), ...(await listAliases(call, true))],
  ...Recipients.parse((await call("GET", "/recipients?limit=100"))?.body),
});

/** Rejected because of another client. After 503 the write may still have been applied. */
const REJECTIONS = [409, 422, 503];

/**
 * Clients of one account that write as fast as the server responds, until it no longer does. Resolves when all have ended.
 * `onAcknowledged` is called for each acknowledged write.
 */
export const clientsOf = (
  call: Call,
  ledger: Ledger,
  recipients: readonly Recipient[],
  onAcknowledged: () => void,
) => {
  // All live aliases, and some that can be restored.
  const known = ledger.aliases().toSorted((a, b) => (a.datetime_deleted ?? 0) - (b.datetime_deleted ?? 0));
  const live = known.filter(({ datetime_deleted }) => datetime_deleted === null).length;
  const slots = known.slice(0, Math.max(SLOTS, live)).map(({ alias_id }) => alias_id);

  /** One or two recipients, in either order. */
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

  /** Sends one write, and returns whether there was a response. */
  const write = async (): Promise<boolean> => {
    const slot = below(SLOTS);
    const id = slots[slot];
    const gone = id === undefined || (ledger.alias(id)?.datetime_deleted !== null && below(2) === 0);
    const wanted = gone ? creation() : changeOf(id);
    ledger.requested(wanted);
    const { method, path, body } = requestOf(wanted);
    const response = await call(method, path, body);
    if (response === null) return false;
    if (response.status >= 300) {
      expect(REJECTIONS, path).toContain(response.status);
      if (response.status !== 503) ledger.rejected(wanted);
      return true;
    }
    const alias = ledger.acknowledge(wanted, response.body, response.version);
    if (wanted.kind === "create") slots[slot] = alias.alias_id;
    onAcknowledged();
    return true;
  };

  const toggle = async (): Promise<boolean> => {
    const { id } = recipients[below(recipients.length)] ?? expect.unreachable("there are recipients");
    const wanted: Toggle = { kind: "toggle", id, active: !ledger.isActive(id) };
    ledger.requested(wanted);
    const response = await call("PATCH", `/recipients/${id}`, { active: wanted.active });
    if (response === null) return false;
    if (response.status >= 300) {
      expect(REJECTIONS).toContain(response.status);
      if (response.status !== 503) ledger.rejected(wanted);
      return true;
    }
    ledger.toggled(wanted);
    onAcknowledged();
    return true;
  };

  const untilGone = async (step: () => Promise<boolean>) => {
    while (await step());
  };
  /** Only one client toggles recipients: they have no version to order concurrent responses by. */
  return Promise.all([toggle, ...Array.from({ length: 6 }, () => write)].map(untilGone));
};
