import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { parseAliasId, parseEmailAddress, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { newAddressItem } from "../../src/address-item.ts";
import { newAliasItem } from "../../src/alias-item.ts";
import { Key, SCHEMA } from "../../src/table.ts";
import { putAll } from "./items.ts";
import { ACCOUNT, alias, recipient } from "./samples.ts";

/** How many aliases are written at once, and the expiry of events, in epoch seconds: never, for this test. */
const [AT_ONCE, EXPIRES] = [50, 32_503_680_000];

/**
 * Writes what `aliases` creations for one recipient and as many events leave in a table, in batches: through a store it would
 * take a transaction each. The recipient itself, and the counts of the account, are missing.
 */
export const fillTable = async (client: DynamoDBClient, table: string, aliases: number): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(client);
  const template = alias("template", [recipient("owner")]);
  const itemsOf = (n: number): readonly object[] => {
    const name = `alias-${String(n).padStart(7, "0")}`;
    const [id, email] = [valueOf(parseAliasId(name)), valueOf(parseEmailAddress(`${name}@alias.example`))];
    const filled = { ...template, id, email };
    return [
      newAliasItem(filled),
      newAddressItem(filled),
      ...Key.tallies(ACCOUNT, id).map((key) => ({ ...key, schema: SCHEMA, sentCount: 1, sentAt: 0 })),
      { ...Key.event(ACCOUNT, id, valueOf(parseEventId("1"))), schema: SCHEMA, expires: EXPIRES },
    ];
  };
  for (let n = 0; n < aliases; n += AT_ONCE) {
    const items = Array.from({ length: Math.min(AT_ONCE, aliases - n) }, (_, each) =>
      itemsOf(n + each),
    ).flat();
    const parts = [0, 1, 2, 3].map((part) => items.filter((_, each) => each % 4 === part));
    await Promise.all(parts.map((part) => putAll(documents, table, part)));
  }
};
