import * as z from "zod";
import { Partition } from "../../src/table.ts";
import type { Item } from "./items.ts";

const AliasRow = z.object({
  sk: z.string().startsWith("alias#"),
  id: z.string(),
  destinations: z.array(z.object({ recipientId: z.string() })),
  deletedAt: z.number().nullable(),
});
const RecipientRow = z.object({
  sk: z.string().startsWith("recipient#"),
  id: z.string(),
  attached: z.number(),
  active: z.boolean(),
  attachmentItems: z.number(),
});

/** Every recipient of a table, with what it stores about its aliases, the aliases listed for it, and the aliases that list it. */
export const attachmentsIn = (rows: readonly Item[]) => {
  const aliases = rows.flatMap((row) => AliasRow.safeParse(row).data ?? []);
  return rows
    .flatMap((row) => RecipientRow.safeParse(row).data ?? [])
    .map(({ id, attached, active, attachmentItems }) => ({
      id,
      active,
      attached,
      attachmentItems,
      listed: rows
        .flatMap((row) => Partition.attachment(row) ?? [])
        .flatMap(({ recipient, alias }) => (recipient === id ? [alias] : []))
        .toSorted(),
      expected: aliases
        .filter(
          ({ deletedAt, destinations }) =>
            deletedAt === null && destinations.some(({ recipientId }) => recipientId === id),
        )
        .map((each) => each.id)
        .toSorted(),
    }));
};
