import { type AnyStore, err, type PortResult, type Store } from "@postern/core";
import { causeFlaw } from "./cause-flaw.ts";
import { NOTHING } from "./nothing.ts";

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const isResult = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "isOk" in value && "isErr" in value;

/**
 * Wraps ports to add an error to `violations` whenever one throws, rejects, or resolves to something other than a `Result`,
 * and for every cause that does not meet the requirements of `Cause`. The caller gets `unavailable` instead of an exception,
 * so that no check can catch the error by mistake and no rejection stays unhandled.
 */
export const guarding =
  (violations: Error[]) =>
  <Args extends readonly unknown[], T, E>(name: string, port: (...args: Args) => PortResult<T, E>) =>
  async (...args: Args): PortResult<T, E> => {
    let verb = "threw";
    try {
      const pending = port(...args);
      verb = "rejected";
      const result = await pending;
      if (isResult(result)) {
        const flaw = result.isErr() ? causeFlaw(result.error) : null;
        if (flaw !== null) violations.push(new Error(`${name} returned a cause that ${flaw}`));
        return result;
      }
      violations.push(new Error(`${name} resolved to something that is not a Result`));
    } catch (cause) {
      violations.push(new Error(`${name} ${verb}: ports never reject (${reasonOf(cause)})`, { cause }));
    }
    return err({ code: "unavailable" });
  };

/** The store with guarded ports, and nothing in the parts that it lacks. */
export const guardPorts = (
  store: AnyStore,
): { readonly store: Store; readonly violations: readonly Error[] } => {
  const { aliases, recipients, mailLedger, creations } = store;
  const { contacts = NOTHING.contacts, blockedSenders = NOTHING.blockedSenders } = store;
  const { messageLog = NOTHING.messageLog, resends = NOTHING.resends } = store;
  const { handedReports = NOTHING.handedReports } = store;
  const { webhooks = NOTHING.webhooks, outbox = NOTHING.outbox } = store;
  const { apiKeys = NOTHING.apiKeys } = store;
  const { suspensions = NOTHING.suspensions } = store;
  const violations: Error[] = [];
  const guard = guarding(violations);

  return {
    violations,
    store: {
      aliases: {
        findWithRecipients: guard("aliases.findWithRecipients", (...args) =>
          aliases.findWithRecipients(...args),
        ),
        findByEmail: guard("aliases.findByEmail", (...args) => aliases.findByEmail(...args)),
        list: guard("aliases.list", (...args) => aliases.list(...args)),
        create: guard("aliases.create", (...args) => aliases.create(...args)),
        save: guard("aliases.save", (...args) => aliases.save(...args)),
        recordOutcome: guard("aliases.recordOutcome", (...args) => aliases.recordOutcome(...args)),
        erase: guard("aliases.erase", (...args) => aliases.erase(...args)),
        retireAddress: guard("aliases.retireAddress", (...args) => aliases.retireAddress(...args)),
        isRetired: guard("aliases.isRetired", (...args) => aliases.isRetired(...args)),
        listRetiredAddresses: guard("aliases.listRetiredAddresses", (...args) =>
          aliases.listRetiredAddresses(...args),
        ),
      },
      recipients: {
        find: guard("recipients.find", (...args) => recipients.find(...args)),
        findAll: guard("recipients.findAll", (...args) => recipients.findAll(...args)),
        list: guard("recipients.list", (...args) => recipients.list(...args)),
        create: guard("recipients.create", (...args) => recipients.create(...args)),
        save: guard("recipients.save", (...args) => recipients.save(...args)),
        remove: guard("recipients.remove", (...args) => recipients.remove(...args)),
      },
      contacts: {
        record: guard("contacts.record", (...args) => contacts.record(...args)),
        meet: guard("contacts.meet", (...args) => contacts.meet(...args)),
        find: guard("contacts.find", (...args) => contacts.find(...args)),
        findByEmails: guard("contacts.findByEmails", (...args) => contacts.findByEmails(...args)),
        list: guard("contacts.list", (...args) => contacts.list(...args)),
        listOfAccount: guard("contacts.listOfAccount", (...args) => contacts.listOfAccount(...args)),
        save: guard("contacts.save", (...args) => contacts.save(...args)),
        create: guard("contacts.create", (...args) => contacts.create(...args)),
      },
      blockedSenders: {
        block: guard("blockedSenders.block", (...args) => blockedSenders.block(...args)),
        unblock: guard("blockedSenders.unblock", (...args) => blockedSenders.unblock(...args)),
        list: guard("blockedSenders.list", (...args) => blockedSenders.list(...args)),
      },
      messageLog: {
        save: guard("messageLog.save", (...args) => messageLog.save(...args)),
        find: guard("messageLog.find", (...args) => messageLog.find(...args)),
        list: guard("messageLog.list", (...args) => messageLog.list(...args)),
      },
      resends: {
        request: guard("resends.request", (...args) => resends.request(...args)),
        list: guard("resends.list", (...args) => resends.list(...args)),
        finish: guard("resends.finish", (...args) => resends.finish(...args)),
      },
      handedReports: {
        handOver: guard("handedReports.handOver", (...args) => handedReports.handOver(...args)),
        list: guard("handedReports.list", (...args) => handedReports.list(...args)),
        finish: guard("handedReports.finish", (...args) => handedReports.finish(...args)),
      },
      webhooks: {
        create: guard("webhooks.create", (...args) => webhooks.create(...args)),
        list: guard("webhooks.list", (...args) => webhooks.list(...args)),
        save: guard("webhooks.save", (...args) => webhooks.save(...args)),
        remove: guard("webhooks.remove", (...args) => webhooks.remove(...args)),
      },
      outbox: {
        announce: guard("outbox.announce", (...args) => outbox.announce(...args)),
        list: guard("outbox.list", (...args) => outbox.list(...args)),
        remove: guard("outbox.remove", (...args) => outbox.remove(...args)),
        begin: guard("outbox.begin", (...args) => outbox.begin(...args)),
        end: guard("outbox.end", (...args) => outbox.end(...args)),
      },
      apiKeys: {
        create: guard("apiKeys.create", (...args) => apiKeys.create(...args)),
        list: guard("apiKeys.list", (...args) => apiKeys.list(...args)),
        findByHash: guard("apiKeys.findByHash", (...args) => apiKeys.findByHash(...args)),
        recordUse: guard("apiKeys.recordUse", (...args) => apiKeys.recordUse(...args)),
        remove: guard("apiKeys.remove", (...args) => apiKeys.remove(...args)),
      },
      mailLedger: {
        find: guard("mailLedger.find", (...args) => mailLedger.find(...args)),
        save: guard("mailLedger.save", (...args) => mailLedger.save(...args)),
        list: guard("mailLedger.list", (...args) => mailLedger.list(...args)),
      },
      creations: {
        find: guard("creations.find", (...args) => creations.find(...args)),
        forget: guard("creations.forget", (...args) => creations.forget(...args)),
      },
      suspensions: {
        find: guard("suspensions.find", (...args) => suspensions.find(...args)),
        suspend: guard("suspensions.suspend", (...args) => suspensions.suspend(...args)),
        resume: guard("suspensions.resume", (...args) => suspensions.resume(...args)),
      },
      accounts: guard("accounts", (page) => store.accounts?.(page) ?? NOTHING.accounts(page)),
      ping: guard("ping", () => store.ping()),
    },
  };
};
