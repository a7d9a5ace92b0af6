import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { sqliteStore } from "@postern/adapter-sqlite";
import { Alias, EventId, RecipientIds } from "@postern/core";
import { ACCOUNT, aliasNumber, NOW, recipientNumber, replaced } from "./samples.ts";

/*
 * A process that writes to the store in the file named first, as fast as it can, until it is killed. Of each write that was
 * acknowledged it says so in a line on standard output before it goes on with the next. After 25 writes that were
 * not it reads everything once more, says so, and ends.
 */

const RECIPIENTS = Array.from({ length: 8 }, (_, n) => recipientNumber(n));
const MOST_ALIASES = 20;
const MOST_FAILURES = 25;

const [path = ""] = process.argv.slice(2);
const store = sqliteStore({ path, clock: { now: Date.now } })._unsafeUnwrap();
for (const recipient of RECIPIENTS) await store.recipients.create(recipient);

const say = (what: object) => writeSync(1, `${JSON.stringify(what)}\n`);
const below = (n: number): number => Math.floor(Math.random() * n);
const some = () => RECIPIENTS.filter(() => below(2) === 0).sort(() => below(3) - 1);

const listed = async (deleted: boolean): Promise<readonly Alias[]> =>
  (await store.aliases.list(ACCOUNT, { limit: 100, after: null }, { deleted }))._unsafeUnwrap().items;

const aliases = [...(await listed(false)), ...(await listed(true))];
let failures = 0;

const next = (alias: Alias): Alias => {
  const ids = RecipientIds.parse(alias.destinations.map(({ recipientId }) => recipientId));
  if (alias.deletedAt !== null)
    return Alias.restore(alias, ids, RECIPIENTS, alias.updatedAt + 1)._unsafeUnwrap();
  if (below(5) === 0) return Alias.delete(alias, alias.updatedAt + 1);
  const recipients = some();
  return replaced(alias, recipients.length > 0 ? recipients : RECIPIENTS.slice(0, 1));
};

const write = async (): Promise<boolean> => {
  const place = below(MOST_ALIASES);
  const alias = aliases[place];
  if (alias === undefined) {
    const created = aliasNumber(aliases.length, RECIPIENTS.slice(0, 2));
    if ((await store.aliases.create(created)).isErr()) return false;
    aliases.push(created);
    say({ kept: created });
    return true;
  }
  if (below(3) === 0) {
    // Never told before, by a process that was killed neither: a repeated event is not counted.
    const event = { id: EventId.parse(randomUUID()), outcome: "sent", at: NOW } as const;
    if ((await store.aliases.recordOutcome(alias, event)).isErr()) return false;
    say({ counted: { alias: alias.id, event: event.id } });
    return true;
  }
  const after = next(alias);
  if (after === alias) return true;
  if ((await store.aliases.save(alias, after)).isErr()) return false;
  aliases[place] = after;
  say({ kept: after });
  return true;
};

say({ ready: true });
while (failures < MOST_FAILURES) if (!(await write())) failures += 1;
say({ read: (await listed(false)).length + (await listed(true)).length, ping: (await store.ping()).isOk() });
