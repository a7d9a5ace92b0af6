import { type CopyId, EmailAddress, newCopyId, type SpoolId, type Store } from "@postern/core";
import { markOfSpool } from "@postern/core/operations";
import type { ReportedOutcome } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { type ProviderReport, providerReports } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KEPT_FOR_A_SPOOL } from "../src/delivery-reports/hand-over.ts";
import { bounceAddress, copyOfBounceAddress } from "../src/message/bounce-address.ts";
import { unavailable } from "./support/account.ts";
import { address } from "./support/mail.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

/* What the provider that sends our mail reports: the world's server has sent it, and something without a spool gets the reports. */

const world = useMailPlane();
const SHOP = "shop@alias.example";
const MAILBOX = "me@home.example";

const reports = (handedReports: Partial<Store["handedReports"]> = {}) => {
  const { secrets, clock } = world.ports();
  const store = { handedReports: { ...world.store().handedReports, ...handedReports } };
  return providerReports({ store, secrets, clock, aliasDomains: ["alias.example", "second.example"] });
};

const about = (sender: EmailAddress, changed: Partial<ProviderReport> = {}): ProviderReport => ({
  sender,
  outcome: "bounced",
  reason: "mailbox_full",
  recipients: [MAILBOX],
  ...changed,
});

/** Sends a message to a new alias. Returns the alias, and the envelope senders of the copies. */
const sent = async (email = SHOP, recipientIds?: readonly string[]) => {
  const alias = await world.alias(email, recipientIds ?? [await world.recipient(MAILBOX)]);
  const before = world.relay().sent.length;
  await world.received(await world.mail([email]));
  await world.forward(world.plane());
  const senders = world
    .relay()
    .sent.slice(before)
    // Without notices about earlier messages.
    .flatMap(({ envelope }) => envelope.from ?? []);
  const [sender = expect.unreachable("a copy was sent")] = senders;
  return { alias, sender, senders };
};

const kept = async () =>
  valueOf(await world.store().handedReports.list(markOfSpool(world.spool().id), 10_000));

const senderOf = (spool: SpoolId, copy: CopyId = newCopyId(world.ports().secrets.random)): EmailAddress =>
  bounceAddress(world.ports().secrets.hash, { copy, spool }, EmailAddress.domain(address(SHOP)));

describe("a report of a provider", () => {
  test("is recorded by the server that sent the copy, as if it had come there", async () => {
    const { alias, sender } = await sent();
    expect(valueOf(await reports()()(about(sender)))).toBe("handed_over");
    expect(valueOf(await world.plane().recordHandedReports())).toBe(1);
    const copy = copyOfBounceAddress(sender) ?? expect.unreachable();
    expect(valueOf(await world.spool().find(copy))?.copy).toMatchObject({
      state: "failed",
      reason: "mailbox_full",
    });
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(alias))).toEqual({ sent: 1, bounced: 1 });
  });

  test("about anything that this deployment has not provably sent is about nothing", async () => {
    const { sender } = await sent();
    const forged = sender.replace(/.@/, (last) => (last === "a@" ? "b@" : "a@"));
    for (const other of [
      forged,
      sender.replace(/-[a-z2-7]+@/, "@"),
      sender.replace(/^b-./, (first) => (first === "b-a" ? "b-b" : "b-a")),
      "hello@alias.example",
      "someone@elsewhere.example",
    ]) {
      expect(valueOf(await reports()()(about(address(other))))).toBe("unknown_copy");
    }
    expect(await kept()).toEqual([]);
    expect(valueOf(await reports()()(about(address(sender.toUpperCase()))))).toBe("handed_over");
  });

  test("that is only about aliases says nothing of a copy to a mailbox, which has passed it on", async () => {
    const { alias, sender } = await sent();
    for (const [recipients, onlyIfToAlias] of [
      [["other@alias.example"], true],
      [["Other <other@alias.example>", "third@second.example"], true],
      [["other@alias.example", MAILBOX], false],
      [[], false],
      [["not an address"], false],
    ] as const) {
      expect(valueOf(await reports()()(about(sender, { recipients })))).toBe("handed_over");
      expect((await kept()).map((report) => report.onlyIfToAlias)).toEqual([onlyIfToAlias]);
      if (onlyIfToAlias) valueOf(await world.plane().recordHandedReports());
      else for (const report of await kept()) valueOf(await world.store().handedReports.finish(report));
    }
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(alias))).toEqual({ sent: 1 });
  });

  test("is unavailable if the store fails, or has too many for the spool; others of the batch are kept", async () => {
    const full = world.spool().id;
    const { random } = world.ports().secrets;
    for (const name of ["list", "handOver"] as const) {
      const record = reports({ [name]: unavailable })();
      expect(failureOf(await record(about(senderOf(full))))).toEqual({ code: "unavailable" });
    }
    const each = { outcome: "delivered", onlyIfToAlias: false, reason: null, at: 1 } as const;
    for (let n = 2; n < KEPT_FOR_A_SPOOL; n += 1) {
      const report = { spool: markOfSpool(full), copy: newCopyId(random), ...each };
      valueOf(await world.store().handedReports.handOver(report));
    }
    const other = "a".repeat(full.length) as SpoolId;
    const record = reports()();
    const batch = await Promise.all([full, full, full, other].map((spool) => record(about(senderOf(spool)))));
    expect(batch.map((result) => result.isOk())).toEqual([true, true, false, true]);
    expect(await kept()).toHaveLength(KEPT_FOR_A_SPOOL);
  });

  test("costs one look at what is kept for each spool and batch", async () => {
    const asked: string[] = [];
    const { list } = world.store().handedReports;
    const counting: typeof list = async (spool, ...rest) => {
      asked.push(spool);
      return list(spool, ...rest);
    };
    const [first, second] = [world.spool().id, "b".repeat(world.spool().id.length) as SpoolId];
    const record = reports({ list: counting })();
    await Promise.all([first, second, first, second, first].map((id) => record(about(senderOf(id)))));
    expect(asked.toSorted()).toEqual([first, second].map(markOfSpool).toSorted());
  });
});

const COUNTED = ["delivered", "bounced", "complaint"] as const;
const OUTCOMES: readonly ReportedOutcome[] = [...COUNTED, "delayed"];

test("in any order, repeated, and with a store that fails, reports count as each of them does once", async () => {
  const reporting = fc.record({
    copy: fc.nat(2),
    outcome: fc.constantFrom(...OUTCOMES),
    /** Whether the store fails; and if so, whether it has kept the report nevertheless. */
    fault: fc.constantFrom(null, null, "answer lost", "not kept"),
  });
  const batch = fc.array(reporting, { minLength: 1, maxLength: 10 });
  /** Between batches, the server with the copies records what is kept, or time passes. */
  const step = fc.oneof(batch, fc.constantFrom("record" as const, "wait" as const));
  const recipientIds: string[] = [];
  for (const name of ["a", "b", "c"]) recipientIds.push(await world.recipient(`${name}@home.example`));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      run += 1;
      const { alias, senders } = await sent(`shop-${run}@alias.example`, recipientIds);
      const said = new Set<string>();
      const lost = async (answer: Promise<unknown>) => {
        await answer;
        return unavailable();
      };
      for (const each of steps) {
        if (each === "wait") world.ports().clock.advance(1);
        else if (each === "record") valueOf(await world.plane().recordHandedReports());
        else {
          let left = each;
          // A queue delivers what is not taken again.
          for (const failing of [true, false]) {
            const { handOver } = world.store().handedReports;
            const faults = new Map(left.map((one) => [`${one.copy} ${one.outcome}`, one.fault]));
            const record = reports({
              handOver: async (report) => {
                const place = senders.findIndex((sender) => copyOfBounceAddress(sender) === report.copy);
                const fault = failing ? faults.get(`${place} ${report.outcome}`) : null;
                if (fault === "not kept") return unavailable();
                return fault === "answer lost" ? lost(handOver(report)) : handOver(report);
              },
            })();
            const results = await Promise.all(
              left.map(({ copy, outcome }) =>
                record(
                  about(senders[copy] ?? expect.unreachable(), {
                    outcome,
                    reason: outcome === "bounced" || outcome === "delayed" ? "other" : null,
                  }),
                ),
              ),
            );
            left = left.filter((_, place) => results[place]?.isErr());
          }
          expect(left).toEqual([]);
          for (const { copy, outcome } of each) said.add(`${outcome} ${copy}`);
        }
      }
      valueOf(await world.plane().recordHandedReports());
      expect(await kept()).toEqual([]);
      valueOf(await world.plane().countOutcomes());
      const countOf = (outcome: string) => [...said].filter((one) => one.startsWith(outcome)).length;
      const expected = COUNTED.map((outcome) => [outcome, countOf(outcome)] as const);
      expect(counted(await world.tallies(alias))).toEqual({
        sent: 3,
        ...Object.fromEntries(expected.filter(([, count]) => count > 0)),
      });
    }),
    { numRuns: 40 },
  );
});
