import { setImmediate } from "node:timers/promises";
import {
  type AccountId,
  Alias,
  type Clock,
  NO_LIMITS,
  type PortResult,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { caller, type Names, namesIn } from "./caller.ts";
import { type Call, checkLinearizable } from "./checker.ts";
import { type AliasState, type Operation, type World, worldModel } from "./model.ts";
import { type Outcome, splitParts } from "./parts.ts";

export type History = readonly Call<Operation, Outcome>[];

/** The operations that each client calls, one after another. */
export type Schedule = readonly (readonly Operation[])[];

/** What every account has initially: a live alias and a deleted one, which share a recipient. */
const INITIALLY: World = {
  aliases: {
    x: { version: 1, list: ["A"], active: true, deleted: false, count: 0 },
    y: { version: 2, list: ["B", "A"], active: true, deleted: true, count: 0 },
  },
  recipients: { A: "active", B: "active", C: "active", D: "inactive" },
};

/** The aliases that can exist; the last one only if a client creates it. */
const ALIASES = ["x", "y", "z"] as const;
const RECIPIENTS = Object.keys(INITIALLY.recipients);

const recipient = fc.constantFrom(...RECIPIENTS);
const alias = fc.constantFrom("x", "x", "y");
const anyAlias = fc.constantFrom("x", "x", "y", "z");
const list = fc.uniqueArray(recipient, { minLength: 1, maxLength: 3 });
const ifMatch = fc.constantFrom(null, null, null, 1, 2, 3);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ call: fc.constant("replace"), alias, list, ifMatch }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant("switch"), alias, active: fc.boolean(), ifMatch }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant("delete"), alias, ifMatch }) },
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constant("restore"),
      alias,
      list: fc.option(list, { freq: 2 }),
      ifMatch,
    }),
  },
  { weight: 2, arbitrary: fc.record({ call: fc.constant("create"), alias: fc.constant("z"), list }) },
  // Rare, because little can happen to them afterwards.
  { weight: 1, arbitrary: fc.record({ call: fc.constant("erase"), alias }) },
  { weight: 1, arbitrary: fc.record({ call: fc.constant("remove"), recipient }) },
  {
    weight: 8,
    arbitrary: fc.record({
      call: fc.constantFrom("activate", "deactivate", "deactivate", "look"),
      recipient,
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(recipient, recipient)
      .filter(([one, other]) => one !== other)
      .map(([one, other]): Operation => ({ call: "reassign", recipient: one, to: other })),
  },
  { weight: 5, arbitrary: fc.record({ call: fc.constantFrom("read", "report"), alias }) },
  {
    weight: 4,
    arbitrary: fc.record({ call: fc.constantFrom("resolve", "report by address"), alias: anyAlias }),
  },
);

const calls = fc.array(operation, { minLength: 4, maxLength: 5 });

/** Random schedules, each for three clients. */
export const randomSchedules = (count: number): readonly Schedule[] =>
  fc.sample(fc.tuple(calls, calls, calls), { numRuns: count });

const MAX_ATTEMPTS = 5;

/** Stores one item, even if a busy machine takes too long for it: then a conflict means that it was stored after all. */
const ensure = async (create: () => PortResult<void, { readonly code: string }>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const created = await create();
    if (created.isOk() || (attempt > 1 && created.error.code === "conflict")) return;
    if (attempt === MAX_ATTEMPTS || created.error.code !== "unavailable") valueOf(created);
  }
};

/** Stores the initial state in the account. */
const fill = async ({ recipients, aliases }: Store, { account, addressOf, idOf }: Names): Promise<void> => {
  const now = Date.now();
  const stored = RECIPIENTS.map((name): Recipient => {
    const email = valueOf(parseEmailAddress(`${name}@recipient.example`));
    const added = Recipient.add({ id: valueOf(parseRecipientId(name)), account, email, nonce: name }, now);
    return { ...added, verifiedAt: now, active: INITIALLY.recipients[name] === "active" };
  });
  for (const each of stored) await ensure(() => recipients.create(each, NO_LIMITS));
  for (const name of ALIASES) {
    const initial = INITIALLY.aliases[name];
    if (initial === undefined || initial === "erased") continue;
    const identity = { id: idOf(name), account, email: addressOf(name), description: "" };
    const ids = valueOf(parseRecipientIds([...initial.list]));
    const { version, deleted } = initial satisfies AliasState;
    const created = valueOf(Alias.create(identity, ids, stored, now));
    const alias = { ...created, version, deletedAt: deleted ? now : null };
    await ensure(() => aliases.create(alias, NO_LIMITS));
  }
};

/** Waits for up to `most` turns of the event loop. */
const turns = async (most: number): Promise<void> => {
  for (let left = Math.floor(Math.random() * (most + 1)); left > 0; left -= 1) await setImmediate();
};

/** The same store; each of its calls waits before and after, for up to `most` turns of the event loop. */
const unhurried = ({ aliases, recipients, ...others }: Store, most: number): Store => {
  const slow =
    <Args extends readonly unknown[], T>(port: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await turns(most);
      const result = await port(...args);
      await turns(most);
      return result;
    };
  return {
    ...others,
    aliases: {
      ...aliases,
      findWithRecipients: slow((...args) => aliases.findWithRecipients(...args)),
      findByEmail: slow((...args) => aliases.findByEmail(...args)),
      list: slow((...args) => aliases.list(...args)),
      create: slow((...args) => aliases.create(...args)),
      save: slow((...args) => aliases.save(...args)),
      recordOutcome: slow((...args) => aliases.recordOutcome(...args)),
      erase: slow((...args) => aliases.erase(...args)),
    },
    recipients: {
      ...recipients,
      find: slow((...args) => recipients.find(...args)),
      findAll: slow((...args) => recipients.findAll(...args)),
      save: slow((...args) => recipients.save(...args)),
      remove: slow((...args) => recipients.remove(...args)),
    },
  };
};

/** Where and how a schedule is run. */
export type Setting = {
  /** A new account, without anything stored. */
  readonly account: AccountId;
  /** A client calls one of these stores, which share everything. */
  readonly stores: readonly [Store, ...Store[]];
  /** The maximum number of event loop turns that each call of a store waits, before and after; 0 by default. */
  readonly mostTurns?: number | undefined;
  /** Prepares the account, and reads its final state. The first of `stores` by default. */
  readonly direct?: Store | undefined;
  /** Called when all clients are done, before the final state is read. */
  readonly settled?: (() => Promise<void>) | undefined;
};

/** Runs all clients concurrently. When they are done, reads everything. */
export const runSchedule = async (
  schedule: Schedule,
  { account, stores, mostTurns = 0, direct = stores[0], settled = async () => {} }: Setting,
): Promise<History> => {
  const clock: Clock = { now: () => Date.now(), pause: () => turns(2 * mostTurns + 1) };
  const names = namesIn(account);
  await fill(direct, names);
  const history: Call<Operation, Outcome>[] = [];
  let time = 0;
  const make = async (process: string, call: ReturnType<typeof caller>, input: Operation): Promise<void> => {
    time += 1;
    const called = time;
    const output = await call(input);
    time += 1;
    history.push({ process, input, called, result: output === null ? null : { output, returned: time } });
  };
  await Promise.all(
    schedule.map(async (operations, i) => {
      const call = caller(unhurried(stores[i % stores.length] ?? stores[0], mostTurns), clock, names);
      for (const input of operations) {
        await turns(mostTurns);
        await make(`client ${i + 1}`, call, input);
      }
    }),
  );
  await settled();
  const call = caller(direct, clock, names);
  const reads: readonly Operation[] = [
    ...["x", "y"].map((name): Operation => ({ call: "read", alias: name })),
    ...ALIASES.map((name): Operation => ({ call: "resolve", alias: name })),
    ...RECIPIENTS.map((name): Operation => ({ call: "look", recipient: name })),
  ];
  await Promise.all(reads.map((input) => make("finally ", call, input)));
  return history;
};

const model = worldModel(INITIALLY);

/**
 * @throws Error with the whole history, unless the calls can be put in an order in which each takes effect between its call
 *   and its return, and returns what it returned
 */
export const expectLinearizable = (history: History): void => {
  const verdict = checkLinearizable(model, splitParts(history, ALIASES));
  if (!verdict.linearizable) throw new Error(verdict.counterexample);
};
