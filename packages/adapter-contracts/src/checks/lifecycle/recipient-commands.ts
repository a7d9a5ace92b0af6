import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch, expectOutcome } from "../../expect.ts";
import { walk } from "../../walk.ts";
import { type Command, command } from "./command.ts";
import { messageRefusal, recordMessage } from "./messages.ts";
import {
  accountOf,
  aliasesWith,
  apply,
  at,
  destinationsOf,
  idsAt,
  isReached,
  type Model,
  type ModelRecipient,
  recipientAddress,
  refusal,
  UNKNOWN,
} from "./model.ts";

/** Adds a recipient that is not yet verified, or adopts one that is already verified. */
export const add = (owner: number, mailbox: number, adopted: boolean): Command =>
  command(
    `${adopted ? "adopt" : "add"} recipient ${mailbox} in account ${owner}`,
    async (model, { service, ports }) => {
      const account = accountOf(model, owner);
      const email = recipientAddress(model, mailbox);
      const own = model.recipients.filter((recipient) => recipient.account === account);
      const unverified = own.filter(({ verifiedAt }) => verifiedAt === null);
      const { limits } = model;
      const now = ports.clock.now();
      const notStored = [
        own.some((other) => other.email === email) && "address_taken",
        isReached(limits.recipients, own.length) && "too_many_recipients",
        !adopted &&
          isReached(limits.unverifiedRecipients, unverified.length) &&
          "too_many_unverified_recipients",
      ];
      const notSent = [!adopted && messageRefusal(model, { account, email }, now)];

      const added = adopted
        ? await service.adoptRecipient({ account, email })
        : (await service.addRecipient({ account, email })).map(({ recipient, verification }) => {
            expectEqual(verification, "sent");
            return recipient;
          });
      expectOutcome(added, notStored.some(Boolean) ? notStored : notSent);
      if (added.isErr()) return;
      const recipient: ModelRecipient = {
        account,
        id: added.value.id,
        email,
        messages: [],
        verifiedAt: adopted ? now : null,
        active: true,
      };
      model.recipients.push(recipient);
      if (!adopted) recordMessage(model, recipient, ports);
    },
  );

/** Whether the recipient is detached. If not, the call must have been refused with the ids of its aliases. */
const mayLeave = (model: Model, recipient: ModelRecipient, result: unknown): boolean => {
  const aliases = aliasesWith(model, recipient);
  if (aliases.length === 0) return true;
  const aliasIds = aliases.map(({ id }) => id).slice(0, 10);
  expectMatch(result, { error: { code: "recipient_attached", attached: aliases.length, aliasIds } });
  return false;
};

export const setActive = (n: number, active: boolean): Command =>
  command(`${active ? "activate" : "deactivate"} recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const updated = await service.updateRecipient({ account, recipientId, active });
    if (!active && recipient.active && !mayLeave(model, recipient, updated)) return;
    recipient.active = active;
    expectMatch(updated, { value: { active } });
  });

export const removeRecipient = (n: number): Command =>
  command(`delete recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const removed = await service.deleteRecipient({ account, recipientId });
    if (!mayLeave(model, recipient, removed)) return;
    valueOf(removed);
    model.recipients.splice(model.recipients.indexOf(recipient), 1);
  });

export const reassign = (n: number, target: number): Command =>
  command(`reassign recipient ${n} to ${target}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const [to = UNKNOWN] = idsAt(model, [target]);
    const call = (after: string | null) => service.reassignRecipient({ account, recipientId, to, after });
    const refused =
      to === recipientId ? { error: { code: "invalid_request" } } : refusal(model, account, [to]);
    if (refused !== null) {
      expectMatch(await call(null), refused);
      return;
    }
    const aliases = aliasesWith(model, recipient);
    // Pages can be short, so one call may not reach every alias.
    const reassigned = await walk(async ({ after }) =>
      (await call(after)).map(({ reassigned: items, next }) => ({ items, next })),
    );
    expectEqual(
      reassigned,
      aliases.map(({ id }) => id),
    );
    for (const alias of aliases) {
      const ids: readonly string[] = alias.destinations.map((destination) => destination.recipientId);
      const after = ids.includes(to)
        ? ids.filter((id) => id !== recipientId)
        : ids.map((id) => (id === recipientId ? to : id));
      apply(alias, { destinations: destinationsOf(model, account, after) }, ports.clock.now());
    }
  });
