import {
  type AccountId,
  type Alias,
  AliasId,
  type Clock,
  type DomainError,
  deleteRecipient,
  getAlias,
  getRecipient,
  type Recipient,
  replaceRecipients,
  type Store,
  updateRecipient,
} from "@postern/core";
import type { AliasAnswer, AliasCall } from "./linearizability-model.ts";

/** Calls that clients can make. */
export type MadeCall = Exclude<AliasCall, { call: "may attach" }>;

/** The one alias of each account that calls are about. */
export const ALIAS = AliasId.parse("alias");

const ofAlias = ({ version, destinations }: Alias): AliasAnswer => ({
  version,
  list: destinations.map(({ recipientId }) => recipientId),
});

const ofRecipient = ({ active, attached }: Recipient): AliasAnswer => ({ active, attached });

const ofError = (error: DomainError): AliasAnswer | null => {
  switch (error.code) {
    case "unavailable":
      return null;
    case "recipients_ineligible":
      return { ineligible: error.recipients };
    case "recipient_attached":
    case "recipient_not_found":
      return error.code;
    default:
      throw new Error(`no call here may answer ${error.code}`);
  }
};

/** Makes the calls of the model by the core's use cases; null when what became of a call is not known. */
export const caller = (store: Store, clock: Clock, account: AccountId) => {
  const ports = { ...store, clock };
  const [read, replace] = [getAlias(ports), replaceRecipients(ports)];
  const [look, update, remove] = [getRecipient(ports), updateRecipient(ports), deleteRecipient(ports)];

  return async (call: MadeCall): Promise<AliasAnswer | null> => {
    switch (call.call) {
      case "read":
        return (await read({ account, aliasId: ALIAS })).match(ofAlias, ofError);
      case "replace":
        return (await replace({ account, aliasId: ALIAS, recipientIds: [...call.list] })).match(
          ofAlias,
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
          (): AliasAnswer => "removed",
          ofError,
        );
    }
  };
};
