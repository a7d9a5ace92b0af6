import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { sqliteStore } from "@postern/adapter-sqlite";
import { Alias, Destinations, NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { aliasNumber, NOW, recipientNumber, replaced } from "./samples.ts";
import { storedAliases } from "./stored-aliases.ts";

/*
 * A process that writes to the store in the file named by its first argument, as fast as it can, until it is killed. It has
 * as many concurrent writers as its second argument says, one by default. Each reports each of its acknowledged writes on a
 * line before it begins the next one. After 25 failed writes it reads everything once more, pings until that fails too,
 * prints a summary, and exits.
 */

const RECIPIENTS = Array.from({ length: 8 }, (_, n) => recipientNumber(n));
const MAX_FAILURES = 25;
/** A ping writes one page: many may fit where the writes of a whole group do not. */
const MAX_PINGS = 1_000;

const [path = "", writers = "1"] = process.argv.slice(2);
const WRITERS = Number(writers);
/** The aliases that exist at once. Each has one writer. */
const MAX_ALIASES = Math.max(20, WRITERS);
const store = valueOf(sqliteStore({ path, clock: { now: Date.now } }));
for (const recipient of RECIPIENTS) await store.recipients.create(recipient, NO_LIMITS);

const print = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const below = (n: number): number => Math.floor(Math.random() * n);
const some = () => RECIPIENTS.filter(() => below(2) === 0).sort(() => below(3) - 1);

const aliases: (Alias | undefined)[] = [...(await storedAliases(store))];
let failures = 0;

const next = (alias: Alias): Alias => {
  const ids = Destinations.recipientIds(alias.destinations);
  if (alias.deletedAt !== null) return valueOf(Alias.restore(alias, ids, RECIPIENTS, alias.updatedAt + 1));
  if (below(5) === 0) return Alias.delete(alias, alias.updatedAt + 1);
  const recipients = some();
  return replaced(alias, recipients.length > 0 ? recipients : RECIPIENTS.slice(0, 1));
};

const write = async (writer: number): Promise<boolean> => {
  const place = writer + WRITERS * below(MAX_ALIASES / WRITERS);
  const alias = aliases[place];
  if (alias === undefined) {
    // A new number each time, because an erased address is never available again.
    const created = aliasNumber(below(1e9), RECIPIENTS.slice(0, 2));
    if ((await store.aliases.create(created, NO_LIMITS)).isErr()) return false;
    aliases[place] = created;
    print({ stored: created });
    return true;
  }
  if (alias.deletedAt !== null && below(20) === 0) {
    if ((await store.aliases.erase(alias)).isErr()) return false;
    aliases[place] = undefined;
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

const writeUntilFailure = async (writer: number) => {
  while (failures < MAX_FAILURES) if (!(await write(writer))) failures += 1;
};
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeUntilFailure(writer)));
let pings = 0;
while (pings < MAX_PINGS && (await store.ping()).isOk()) pings += 1;
print({
  read: (await storedAliases(store)).length,
  pingFails: pings < MAX_PINGS,
});
