import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { Alias, Destinations, NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  ACCOUNT,
  aliasNumber,
  NOW,
  recipientNumber,
  replaced,
} from "../../../adapter-sqlite/test/support/samples.ts";

/*
 * A process that writes to the store in the database whose URL is its argument, as fast as it can, until it is killed or five
 * writes in a row have failed. It reports each acknowledged write on a line before it begins the next one.
 */

const RECIPIENTS = Array.from({ length: 8 }, (_, n) => recipientNumber(n));
const MAX_ALIASES = 20;
const MAX_FAILURES = 5;

const [url = ""] = process.argv.slice(2);
const store = valueOf(await postgresStore({ url: valueOf(parsePostgresUrl(url)), clock: Date }));
for (const recipient of RECIPIENTS) await store.recipients.create(recipient, NO_LIMITS);

const print = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const below = (n: number): number => Math.floor(Math.random() * n);
const some = () => RECIPIENTS.filter(() => below(2) === 0).sort(() => below(3) - 1);

const listed = async (deleted: boolean): Promise<readonly Alias[]> =>
  valueOf(await store.aliases.list(ACCOUNT, { limit: 100, after: null }, { deleted })).items;

const aliases = [...(await listed(false)), ...(await listed(true))];

const next = (alias: Alias): Alias => {
  const ids = Destinations.recipientIds(alias.destinations);
  if (alias.deletedAt !== null) return valueOf(Alias.restore(alias, ids, RECIPIENTS, alias.updatedAt + 1));
  if (below(5) === 0) return Alias.delete(alias, alias.updatedAt + 1);
  const recipients = some();
  return replaced(alias, recipients.length > 0 ? recipients : RECIPIENTS.slice(0, 1));
};

const write = async (): Promise<boolean> => {
  const place = below(MAX_ALIASES);
  const alias = aliases[place];
  if (alias === undefined) {
    // A new number each time, because an erased address is never available again.
    const created = aliasNumber(below(1e9), RECIPIENTS.slice(0, 2));
    if ((await store.aliases.create(created, NO_LIMITS)).isErr()) return false;
    aliases.push(created);
    print({ stored: created });
    return true;
  }
  if (alias.deletedAt !== null && below(20) === 0) {
    if ((await store.aliases.erase(alias)).isErr()) return false;
    aliases.splice(place, 1);
    print({ erased: alias });
    return true;
  }
  if (below(3) === 0) {
    // An id that no earlier process can have used, because duplicates are not counted.
    const event = { id: valueOf(parseEventId(randomUUID())), outcome: "sent", at: NOW } as const;
    if ((await store.aliases.recordOutcome(alias, event)).isErr()) return false;
    print({ counted: { alias: alias.id, event: event.id } });
    return true;
  }
  const after = next(alias);
  if (after === alias) return true;
  if ((await store.aliases.save(alias, after)).isErr()) return false;
  aliases[place] = after;
  print({ stored: after });
  return true;
};

for (let failures = 0; failures < MAX_FAILURES; ) {
  if (await write()) continue;
  failures += 1;
  await setTimeout(10);
}
await store.close();
