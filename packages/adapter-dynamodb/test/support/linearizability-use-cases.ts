import {
  type AccountId,
  type Alias,
  type AliasReference,
  type Clock,
  type Conflict,
  type DomainError,
  deleteRecipient,
  type EmailAddress,
  eraseAlias,
  getAlias,
  getRecipient,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  type Recipient,
  replaceRecipients,
  type Store,
  updateRecipient,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { AliasCall, AliasOutput } from "./linearizability-model.ts";

/** Calls that clients can make. */
export type MadeCall = Exclude<AliasCall, { call: "may attach" }>;

/** The one alias of each account that all calls concern. */
export const ALIAS = valueOf(parseAliasId("alias"));
export const addressIn = (account: AccountId): EmailAddress =>
  valueOf(parseEmailAddress(`${account}@alias.example`));

const ofReplaced = ({ version, destinations }: Alias): AliasOutput => ({
  version,
  list: destinations.map(({ recipientId }) => recipientId),
});

const ofAlias = ({ version, destinations, tallies }: Alias): AliasOutput => ({
  version,
  list: destinations.map(({ recipientId }) => recipientId),
  count: tallies.sent.count,
});

const ofRecipient = ({ active, attached }: Recipient): AliasOutput => ({ active, attached });

const ofError = (error: DomainError | Conflict): AliasOutput | null => {
  switch (error.code) {
    case "unavailable":
      return null;
    case "recipients_ineligible":
      return { ineligible: error.recipients };
    case "alias_not_found":
    case "recipient_attached":
    case "recipient_not_found":
      return error.code;
    default:
      throw new Error(`no call here may return ${error.code}`);
  }
};

let events = 0;

/** Never the same event twice; some are older than the previous one. */
const nextEvent = () => {
  events += 1;
  const id = valueOf(parseEventId(`event-${events}`));
  return { id, outcome: "sent", at: 1_000_000 + events - 2 * (events % 3) } as const;
};

/** Makes the model's calls through the core's use cases. Returns null if the outcome of a call is unknown. */
export const caller = (store: Store, clock: Clock, account: AccountId) => {
  const { aliases } = store;
  const ports = { ...store, clock };
  const [read, replace, erase] = [getAlias(ports), replaceRecipients(ports), eraseAlias(ports)];
  const [look, update, remove] = [getRecipient(ports), updateRecipient(ports), deleteRecipient(ports)];
  const email = addressIn(account);

  const report = async (alias: AliasReference): Promise<AliasOutput | null> =>
    (await aliases.recordOutcome(alias, nextEvent())).match((outcome) => {
      if (outcome !== "recorded") throw new Error(`a new event was ${outcome}`);
      return outcome;
    }, ofError);

  return async (call: MadeCall): Promise<AliasOutput | null> => {
    switch (call.call) {
      case "read":
        return (await read({ account, aliasId: ALIAS })).match(ofAlias, ofError);
      case "resolve":
        return (await aliases.findByEmail(email)).match(
          (alias) => (alias === null ? "alias_not_found" : ofAlias(alias)),
          ofError,
        );
      case "report":
        return report({ account, id: ALIAS });
      case "report by address":
        return report({ email });
      case "erase":
        return (await erase({ account, aliasId: ALIAS })).match((): AliasOutput => "erased", ofError);
      case "replace":
        return (await replace({ account, aliasId: ALIAS, recipientIds: [...call.list] })).match(
          ofReplaced,
          ofError,
        );
      case "look":
        return (await look({ account, recipientId: call.recipient })).match(ofRecipient, ofError);
      case "activate":
      case "deactivate": {
        const active = call.call === "activate";
        return (await update({ account, recipientId: call.recipient, active })).match(ofRecipient, ofError);
      }
      case "remove":
        return (await remove({ account, recipientId: call.recipient })).match(
          (): AliasOutput => "removed",
          ofError,
        );
    }
  };
};
