import { type Alias, compareIds, LoggedMessage, MAIL_OUTCOMES, type Postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectSameItems } from "../../expect.ts";
import { walk } from "../../walk.ts";
import {
  aliasesWith,
  idOf,
  ineligibility,
  type Model,
  type ModelAlias,
  type ModelContact,
  ownRecipient,
} from "./model.ts";

/** The tallies that the events of the alias add up to. */
const talliesOf = ({ events }: Pick<ModelAlias, "events">) =>
  Object.fromEntries(
    MAIL_OUTCOMES.map((outcome) => {
      const times = [...events.values()].filter((event) => event.outcome === outcome).map(({ at }) => at);
      return [outcome, { count: times.length, lastAt: times.length > 0 ? Math.max(...times) : null }];
    }),
  );

/** The message with the id of the contact that it is from. */
export const attributed = ({ contacts }: ModelAlias, message: LoggedMessage) => {
  const author = contacts.find(({ email }) => email === message.contact?.toLowerCase());
  return { ...message, contactId: author === undefined ? null : idOf(author) };
};

/** Throws unless the log of each alias is what the model says. */
export const expectLogs = async (model: Model, service: Postern, now: number): Promise<void> => {
  for (const alias of model.aliases) {
    const { account, id: aliasId } = alias;
    expectEqual(
      await walk((page) => service.listMessages({ account, aliasId, ...page })),
      alias.messages
        .map((message) => attributed(alias, message))
        .filter((message) => !LoggedMessage.isOver(message, now))
        .sort((a, b) => compareIds(LoggedMessage.position(b), LoggedMessage.position(a))),
    );
  }
};

/** Throws unless the webhooks of each account are what the model says. */
export const expectWebhooks = async (model: Model, service: Postern): Promise<void> => {
  for (const account of model.accounts) {
    expectSameItems(
      valueOf(await service.listWebhooks({ account })),
      model.webhooks.filter((webhook) => webhook.account === account),
    );
  }
};

/** Throws unless the API keys of each account are what the model says. */
export const expectApiKeys = async (model: Model, service: Postern): Promise<void> => {
  for (const account of model.accounts) {
    const own = model.apiKeys.filter((apiKey) => apiKey.account === account);
    expectSameItems(
      valueOf(await service.listApiKeys({ account })),
      own.map(({ secret: _, ...apiKey }) => apiKey),
    );
  }
};

/**
 * Throws unless the store holds exactly what the model says. Logs, webhooks and API keys are compared where any of them changes, and at the
 * end.
 */
export const expectAgreement = async (model: Model, service: Postern): Promise<void> => {
  for (const account of model.accounts) {
    for (const deleted of [false, true]) {
      const listed = await walk((page) => service.listAliases({ account, deleted, ...page }));
      const expected = model.aliases.filter(
        (alias) => alias.account === account && (alias.deletedAt !== null) === deleted,
      );
      expectEqual(
        listed.map(({ createdAt: _, ...alias }: Alias) => alias),
        expected
          .map(({ contacts: _, ...alias }) => ({ ...alias, tallies: talliesOf(alias) }))
          .map(({ events: _, ...alias }) => alias)
          .map(({ messages: _, ...alias }) => alias)
          .reverse(),
      );
    }
    for (const { id: aliasId, contacts } of model.aliases.filter((alias) => alias.account === account)) {
      const listed = await walk((page) => service.listContacts({ account, aliasId, ...page }));
      const seen = listed.map(({ email, blocking, createdAt, reverseAddress }) => ({
        email,
        blocking,
        createdAt,
        reverseAddress,
      }));
      // Those that were created at the same time can be in any order.
      const inOrder = (all: readonly ModelContact[]) =>
        all.toSorted((a, b) => b.createdAt - a.createdAt || (a.email < b.email ? -1 : 1));
      expectEqual(inOrder(seen), inOrder(contacts));
      expectEqual(
        seen.map(({ createdAt }) => createdAt),
        inOrder(contacts).map(({ createdAt }) => createdAt),
      );
    }
    const blocked = await walk((page) => service.listBlockedSenders({ account, ...page }));
    expectSameItems(
      blocked,
      model.blockedSenders.filter((each) => each.account === account),
    );
    const listed = await walk((page) => service.listRecipients({ account, ...page }));
    expectEqual(
      listed.map(({ id, email, verifiedAt, active, attached, verificationSentAt }) => ({
        id,
        email,
        verifiedAt,
        active,
        attached,
        verificationSentAt,
      })),
      model.recipients
        .filter((recipient) => recipient.account === account)
        .map((recipient) => ({
          id: recipient.id,
          email: recipient.email,
          verifiedAt: recipient.verifiedAt,
          active: recipient.active,
          attached: aliasesWith(model, recipient).length,
          verificationSentAt: recipient.messages.at(-1)?.sentAt ?? null,
        }))
        .reverse(),
    );
  }
  // Rules 2 and 3, spelled out.
  for (const { account, destinations, deletedAt } of model.aliases) {
    if (deletedAt !== null) continue;
    if (destinations.length === 0) throw new Error("a live alias has no recipient");
    for (const { recipientId } of destinations) {
      expectEqual(ineligibility(ownRecipient(model, account, recipientId)), null);
    }
  }
};
