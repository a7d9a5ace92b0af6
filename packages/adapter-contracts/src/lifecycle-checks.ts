import { type Alias, MAIL_OUTCOMES, type Recipient, type Store } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import {
  add,
  type Command,
  create,
  type Expectation,
  forget,
  type Model,
  reassign,
  remove,
  replace,
  resend,
  restore,
  setActive,
  tell,
  update,
  verify,
  wait,
} from "./lifecycle-model.ts";
import { findAlias, findRecipient, keepAlias, keepRecipient, keepRecipients, newAccount } from "./samples.ts";
import { service } from "./service.ts";

/** Most runs begin with something to lose: without it, random calls hardly ever get as far as an alias. */
const beginning: readonly Command[] = [
  ...[0, 1, 2, 3].flatMap((n) => [add(0, n), verify(n, 0)]),
  add(1, 0),
  verify(4, 0),
  add(0, 4),
  create(0, 0, [0, 1]),
  create(0, 1, [2]),
  create(1, 2, [4]),
];

// Mostly recipients of the first account, which are verified at the beginning; few of the others.
const picks = fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(8) }), {
  maxLength: 4,
});
const owner = fc.constantFrom(0, 0, 0, 0, 1);
const foreign = fc.constantFrom(false, false, false, false, true);
const expectation = fc.constantFrom<Expectation>("any", "any", "any", "current", "other");
const settings = fc.record(
  { description: fc.constantFrom("", "shop", "news"), active: fc.boolean() },
  { requiredKeys: [] },
);

const anything = fc.commands(
  [
    fc.tuple(owner, fc.nat(4)).map((args) => add(...args)),
    fc.tuple(fc.nat(5), fc.constantFrom(0, 0, 0, 1)).map((args) => verify(...args)),
    fc.nat(5).map(resend),
    fc.tuple(fc.nat(5), fc.boolean()).map((args) => setActive(...args)),
    fc.nat(5).map(forget),
    fc.tuple(fc.nat(5), fc.nat(5)).map((args) => reassign(...args)),
    fc.tuple(owner, fc.nat(3), picks).map((args) => create(...args)),
    fc.tuple(foreign, fc.nat(3), picks, expectation).map((args) => replace(...args)),
    fc.tuple(foreign, fc.nat(3), picks, expectation).map((args) => replace(...args)),
    fc.tuple(foreign, fc.nat(3), settings, expectation).map((args) => update(...args)),
    fc.tuple(foreign, fc.nat(3), expectation).map((args) => remove(...args)),
    fc.tuple(foreign, fc.nat(3), fc.option(picks), expectation).map((args) => restore(...args)),
    fc
      .tuple(fc.nat(3), fc.nat(5), fc.constantFrom(...MAIL_OUTCOMES), fc.nat(3), fc.boolean())
      .map((args) => tell(...args)),
    fc.constantFrom(1, 1, 60_000, 60_000, 5 * 60 * 60 * 1000, 24 * 60 * 60 * 1000).map(wait),
  ],
  { maxCommands: 50, size: "max" },
);

/** The same store, its answers handed out in an order that the scheduler picks. */
const interleaved = (
  { aliases, recipients }: Store,
  s: fc.Scheduler,
): Pick<Store, "aliases" | "recipients"> => ({
  aliases: {
    ...aliases,
    findWithRecipients: s.scheduleFunction((account, id, ids) =>
      aliases.findWithRecipients(account, id, ids),
    ),
    save: s.scheduleFunction((before, after) => aliases.save(before, after)),
  },
  recipients: {
    ...recipients,
    find: s.scheduleFunction((account, id) => recipients.find(account, id)),
    save: s.scheduleFunction((before, after) => recipients.save(before, after)),
  },
});

type Rival =
  | { readonly does: "replace"; readonly list: readonly number[] }
  | { readonly does: "deactivate"; readonly target: number }
  | { readonly does: "read" };

const rival: fc.Arbitrary<Rival> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 })
      .map((list): Rival => ({ does: "replace", list })),
  },
  { weight: 2, arbitrary: fc.nat(3).map((target): Rival => ({ does: "deactivate", target })) },
  { weight: 1, arbitrary: fc.constant<Rival>({ does: "read" }) },
);

const recipientsOf = (alias: Alias) => alias.destinations.map(({ recipientId }) => recipientId);

export const lifecycleChecks: readonly Check[] = [
  {
    name: "any run of calls leaves what a plain model says, after every step",
    run: async (store) => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(true, true, true, false), anything, async (begun, commands) => {
          const setup = async () => {
            const ports = testPorts();
            const model: Model = { accounts: [newAccount(), newAccount()], recipients: [], aliases: [] };
            const real = { ports, service: service(store, ports) };
            if (begun) for (const command of beginning) await command.run(model, real);
            return { model, real };
          };
          await fc.asyncModelRun(setup, commands);
        }),
        { numRuns: 100 },
      );
    },
  },
  {
    name: "replaces and deactivations in any interleaving take effect one after the other, none by half",
    run: async (store) => {
      const account = newAccount();
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(rival, { minLength: 2, maxLength: 5 }),
          async (s, rivals) => {
            const start = await keepRecipient(store, account);
            const pool: readonly Recipient[] = [start, ...(await keepRecipients(store, account, 3))];
            const alias = await keepAlias(store, account, [start]);
            const rivalling = service(interleaved(store, s), testPorts());
            const asked = new Set([String(start.id)]);
            const idsOf = (list: readonly number[]) => list.flatMap((n) => pool[n]?.id ?? []);

            const leaving = rivals.flatMap((r) => (r.does === "deactivate" ? idsOf([r.target]) : []));
            const seen: Alias[] = [];
            const turn = async (rival: Rival): Promise<void> => {
              switch (rival.does) {
                case "replace": {
                  const recipientIds = idsOf(rival.list);
                  asked.add(recipientIds.join());
                  const replaced = await rivalling.replaceRecipients({
                    account,
                    aliasId: alias.id,
                    recipientIds,
                  });
                  if (replaced.isErr()) {
                    const offenders = leaving.map((id) => ({ id, reason: "inactive" }));
                    expect(replaced.error).toMatchObject({ code: "recipients_ineligible" });
                    if (replaced.error.code === "recipients_ineligible") {
                      expect(offenders).toEqual(expect.arrayContaining([...replaced.error.recipients]));
                    }
                  } else {
                    expect(recipientsOf(replaced.value)).toEqual(recipientIds);
                    seen.push(replaced.value);
                  }
                  return;
                }
                case "deactivate": {
                  const target = pool[rival.target];
                  if (target === undefined) return;
                  const { id: recipientId } = target;
                  const off = await rivalling.updateRecipient({ account, recipientId, active: false });
                  if (off.isErr()) expect(off.error.code).toBe("recipient_attached");
                  return;
                }
                case "read": {
                  const found = await findAlias(store, alias);
                  if (found !== null) seen.push(found);
                  return;
                }
              }
            };
            await s.waitFor(Promise.all(rivals.map(turn)));

            const last = await findAlias(store, alias);
            if (last === null) throw new Error("the alias was kept");
            seen.push(alias, last);
            // Rules 1 and 2: one list a version, each as somebody asked for it, and the newest one stands.
            const listAt = new Map<number, string>();
            for (const state of seen) {
              const list = recipientsOf(state).join();
              expect(asked).toContain(list);
              expect(listAt.get(state.version) ?? list).toBe(list);
              listAt.set(state.version, list);
              expect(state.version).toBeLessThanOrEqual(last.version);
            }
            // Rule 3: whoever receives mail now may, and is counted; whoever does not is not.
            for (const recipient of pool) {
              const found = await findRecipient(store, recipient);
              const held = recipientsOf(last).includes(recipient.id);
              expect(found?.attached).toBe(held ? 1 : 0);
              if (held) expect(found?.active).toBe(true);
            }
          },
        ),
        { numRuns: 100 },
      );
    },
  },
];
