import {
  type AccountLimits,
  type Alias,
  NO_LIMITS,
  postern,
  type Store,
  type WebhookSending,
} from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  findAlias,
  findRecipient,
  newAccount,
  newLedgerKey,
  storeAlias,
  storeRecipient,
  storeRecipients,
} from "../samples.ts";
import { retiredAddressesOf, walk } from "../walk.ts";
import { expectApiKeys, expectLogs, expectWebhooks } from "./lifecycle/agreement.ts";
import type { Real } from "./lifecycle/command.ts";
import { ALIAS_DOMAIN, emptyModel } from "./lifecycle/model.ts";
import { accountLimits, beginning, commands } from "./lifecycle/sequence.ts";

/** The clock starts at the current time, because a store may remove ledger entries that have expired by its own clock. */
const serve = (store: Store, limits: AccountLimits): Real => {
  const ports = testPorts(Date.now());
  const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };
  // The secrets of each run are those of all others, and the hashes of API keys are unique across all accounts of a store.
  const salt = newLedgerKey();
  const secrets = { ...ports.secrets, hash: (text: string) => ports.secrets.hash(`${salt}${text}`) };
  const service = postern({
    store,
    aliasDomains: [ALIAS_DOMAIN],
    limits,
    webhookSending,
    keysUrl: "https://keys.example",
    ...ports,
    secrets,
    // The machine may be busy.
    timeoutMs: 60_000,
  });
  return { store, ports, service };
};

/** The same store, with its results delivered in an order chosen by the scheduler. */
const interleaved = ({ aliases, recipients, ...store }: Store, s: fc.Scheduler): Store => ({
  ...store,
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
  check(
    "after every step of a random sequence of operations, the store matches a plain model",
    async (store, _, has) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(true, true, true, false),
          accountLimits,
          commands(has),
          async (withData, limits, commands) => {
            const model = emptyModel([newAccount(), newAccount()], limits);
            const real = serve(store, limits);
            if (withData) for (const command of beginning(has)) await command.run(model, real);
            await fc.asyncModelRun(() => ({ model, real }), commands);
            await expectLogs(model, real.service, real.ports.clock.now());
            await expectWebhooks(model, real.service);
            await expectApiKeys(model, real.service);
            const retired = new Set<string>(await walk(retiredAddressesOf(store)));
            expectEqual(
              model.erased.filter(({ email }) => !retired.has(email)),
              [],
            );
            expectEqual(
              model.aliases.filter(({ email }) => retired.has(email)),
              [],
            );
          },
        ),
        runs(100),
      );
    },
  ),

  check("interleaved replacements and deactivations take effect one after the other", async (store) => {
    const account = newAccount();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(rival, { minLength: 2, maxLength: 5 }), async (s, rivals) => {
        const start = await storeRecipient(store, account);
        const pool = [start, ...(await storeRecipients(store, account, 3))];
        const alias = await storeAlias(store, account, [start]);
        const { service } = serve(interleaved(store, s), NO_LIMITS);
        const idsOf = (list: readonly number[]) => list.flatMap((n) => pool[n]?.id ?? []);
        const requested = new Set([String(start.id)]);
        const leaving = rivals.flatMap((r) => (r.does === "deactivate" ? idsOf([r.target]) : []));
        const seen: Alias[] = [];
        const run = async (rival: Rival): Promise<void> => {
          switch (rival.does) {
            case "replace": {
              const recipientIds = idsOf(rival.list);
              requested.add(recipientIds.join());
              const replaced = await service.replaceRecipients({ account, aliasId: alias.id, recipientIds });
              if (replaced.isOk()) {
                expectEqual(recipientsOf(replaced.value), recipientIds);
                seen.push(replaced.value);
              } else if (replaced.error.code === "recipients_ineligible") {
                for (const { id, reason } of replaced.error.recipients) {
                  expectEqual(
                    { leaving: leaving.includes(id), reason },
                    { leaving: true, reason: "inactive" },
                  );
                }
              } else throw new Error(`replaceRecipients returned ${replaced.error.code}`);
              return;
            }
            case "deactivate": {
              for (const recipientId of idsOf([rival.target])) {
                const off = await service.updateRecipient({ account, recipientId, active: false });
                if (off.isErr()) expectEqual(off.error.code, "recipient_attached");
              }
              return;
            }
            case "read": {
              const found = await findAlias(store, alias);
              if (found !== null) seen.push(found);
              return;
            }
          }
        };
        await s.waitFor(Promise.all(rivals.map(run)));

        const last = await findAlias(store, alias);
        if (last === null) throw new Error("the alias is gone, although no call deleted it");
        seen.push(alias, last);
        // Rules 1 and 2: each version has one list, which a caller requested, and the newest version is stored.
        const listAt = new Map<number, string>();
        for (const state of seen) {
          const list = recipientsOf(state).join();
          if (!requested.has(list)) throw new Error("the alias has a list that no call requested");
          expectEqual(listAt.get(state.version) ?? list, list);
          listAt.set(state.version, list);
          if (state.version > last.version) throw new Error("the stored version is not the newest one");
        }
        // Rule 3: a recipient is counted if and only if it is attached, and an attached recipient is active.
        for (const recipient of pool) {
          const found = await findRecipient(store, recipient);
          const attached = recipientsOf(last).includes(recipient.id);
          expectEqual(found?.attached, attached ? 1 : 0);
          if (attached) expectEqual(found?.active, true);
        }
      }),
      runs(100),
    );
  }),
];
