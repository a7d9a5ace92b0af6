import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, onTestFinished, test } from "vitest";
import { callerOf, clientsOf, readEverything } from "./support/durability-clients.ts";
import { newLedger, type Shown } from "./support/durability-ledger.ts";
import type { Alias } from "./support/durability-writes.ts";
import { environment, unlimited } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startKillableServer } from "./support/killable-server.ts";

const ROUNDS = runsWhole(import.meta.url) ? 50 : 1;

const RECIPIENTS = Array.from({ length: 8 }, (_, n) => ({
  id: `recipient-${n}`,
  email: `mailbox-${n}@example.org`,
}));

/** A SQLite file with these recipients, verified, in the account of the identity provider's token. */
const newFile = async (): Promise<string> => {
  const path = join(newDirectory(), "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  for (const { id, email } of RECIPIENTS) {
    const identity = {
      id: valueOf(parseRecipientId(id)),
      account: valueOf(parseAccountId("somebody")),
      email: valueOf(parseEmailAddress(email)),
      nonce: id,
    };
    const recipient = Recipient.verify(Recipient.add(identity, 0), 0);
    valueOf(await store.recipients.create(recipient, NO_LIMITS));
  }
  store.close();
  return path;
};

/** Checks rules 1 to 3 of the domain, as far as one snapshot can show them. */
const expectRules = (aliases: readonly Alias[], recipients: readonly Shown[]): void => {
  const eligible = recipients.filter(({ verified, active }) => verified && active);
  const live = aliases.filter(({ datetime_deleted }) => datetime_deleted === null);
  for (const { destination_emails } of live) {
    expect(destination_emails).not.toEqual([]);
    expect(new Set(destination_emails).size).toBe(destination_emails.length);
    const addresses = eligible.map(({ recipient_email }) => recipient_email);
    expect(addresses).toEqual(expect.arrayContaining(destination_emails));
  }
  for (const { recipient_email, alias_count } of recipients) {
    const attached = live.filter(({ destination_emails }) => destination_emails.includes(recipient_email));
    expect({ recipient_email, alias_count }).toEqual({ recipient_email, alias_count: attached.length });
  }
};

test(`acknowledged writes survive, and every rule holds, after each of ${ROUNDS} kills under load`, {
  timeout: 300_000 + ROUNDS * 20_000,
}, async () => {
  const path = await newFile();
  const ledger = newLedger();
  for (let round = 0; round <= ROUNDS; round += 1) {
    const provider = await startIdentityProvider();
    provider.release();
    onTestFinished(provider.stop);
    const server = await startKillableServer({
      ...environment,
      ...unlimited,
      POSTERN_STORE: "sqlite",
      POSTERN_SQLITE_PATH: path,
      POSTERN_ISSUER: provider.issuer,
      POSTERN_RATE_LIMIT: "0",
    });
    const call = callerOf(server.url, provider.token);
    const { aliases, recipients } = await readEverything(call);
    expectRules(aliases, recipients);
    ledger.expectStored(aliases, recipients);
    if (round === ROUNDS) break;

    let left = 100 + Math.floor(Math.random() * 200);
    await clientsOf(call, ledger, RECIPIENTS, () => {
      left -= 1;
      // Every kind of write must have occurred.
      const isMissing = Object.values(ledger.acknowledged).includes(0);
      if (left <= 0 && !isMissing) setTimeout(server.kill, Math.random() * 20);
    });
    await server.killed;
  }
});
