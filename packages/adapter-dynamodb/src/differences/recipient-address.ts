import { type AccountId, EmailAddress, type Recipient, type RecipientId } from "@postern/core";
import { putNew, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { newRecipientAddressItem, parseRecipientAddressItem, parseRecipientItem } from "../recipient-item.ts";
import { Key } from "../table.ts";
import { exists, isAbsent, parsedOrNull, type Question } from "./question.ts";

/** Whether the address of the recipient is reserved for it. `found` is the address item as it was read before. */
export const addressOfRecipient = (
  table: string,
  recipient: Recipient,
  found: StoredItem | undefined,
): Question => {
  const { account, id } = recipient;
  const [own, address] = [Key.recipient(account, id), Key.recipientAddress(account, recipient.email)];
  const reserved = parsedOrNull(parseRecipientAddressItem, found);
  const other = reserved === id ? null : reserved;
  return {
    account,
    alias: null,
    recipient: id,
    keys: [own, address, ...(other === null ? [] : [Key.recipient(account, other)])],
    judge: ([ownItem, addressItem, otherItem]) => {
      if (ownItem === undefined) return null;
      const right = "reserved for the recipient";
      const repaired = (stored: string, writes: readonly Write[]) => ({
        kind: "recipient-address",
        stored,
        right,
        remedy: { by: "repair", writes: [exists(table, own), ...writes] } as const,
      });
      if (addressItem === undefined)
        return repaired("missing", [putNew(table, newRecipientAddressItem(recipient))]);
      const now = parsedOrNull(parseRecipientAddressItem, addressItem);
      if (now === null || now !== other) return null;
      const has = parsedOrNull(parseRecipientItem, otherItem);
      if (otherItem !== undefined && has === null) return null;
      if (has !== null && EmailAddress.key(has.email) === EmailAddress.key(recipient.email)) {
        return {
          kind: "recipient-address",
          stored: `reserved for recipient ${other}, which has the same address`,
          right,
          remedy: {
            by: "operator",
            action: "if the owner deletes the other recipient, a repair reserves the address for this one",
            detach: null,
          },
        };
      }
      return repaired("reserved for a recipient that does not have it", [
        {
          Put: {
            TableName: table,
            Item: newRecipientAddressItem(recipient),
            ConditionExpression: "recipient = :other",
            ExpressionAttributeValues: { ":other": other },
          },
        },
        ...(otherItem === undefined ? [isAbsent(table, Key.recipient(account, other))] : []),
      ]);
    },
  };
};

/** Whether the recipient for which an address is reserved exists and has it. If not, the address is free. */
export const recipientOfAddress = (
  table: string,
  account: AccountId,
  address: Key,
  recipient: RecipientId,
): Question => {
  const own = Key.recipient(account, recipient);
  return {
    account,
    alias: null,
    recipient,
    keys: [address, own],
    judge: ([addressItem, recipientItem]) => {
      if (parsedOrNull(parseRecipientAddressItem, addressItem) !== recipient) return null;
      const has = parsedOrNull(parseRecipientItem, recipientItem);
      if (recipientItem !== undefined && has === null) return null;
      if (has !== null && Key.same(Key.recipientAddress(account, has.email), address)) return null;
      return {
        kind: "recipient-address",
        stored: `an address is reserved for the recipient, which ${has === null ? "does not exist" : "has another"}`,
        right: "not reserved",
        remedy: {
          by: "repair",
          writes: [
            {
              Delete: {
                TableName: table,
                Key: { ...address },
                ConditionExpression: "recipient = :recipient",
                ExpressionAttributeValues: { ":recipient": recipient },
              },
            },
            ...(has === null ? [isAbsent(table, own)] : []),
          ],
        },
      };
    },
  };
};
