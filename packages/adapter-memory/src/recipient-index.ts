import type { Alias, AliasId, RecipientId } from "@postern/core";
import { attachments, comesBefore } from "@postern/core/store";
import { type SortedList, sortedList } from "./sorted-list.ts";

/** Which recipients a change attaches to an alias, and which it detaches. */
export type Attachments = ReturnType<typeof attachments>;

/** The live aliases of each recipient. */
export type RecipientIndex = {
  change(id: AliasId, changed: Attachments): void;
  /** In the order of `compareIds`; undefined if the recipient never had any. */
  aliasesOf(recipient: RecipientId): SortedList<AliasId> | undefined;
};

/** Ids in the order of `compareIds`. */
export const orderedIds = <Id extends string = AliasId>(): SortedList<Id> => sortedList<Id>(comesBefore);

export const recipientIndex = (aliases: Iterable<Alias>): RecipientIndex => {
  const lists = new Map<RecipientId, SortedList<AliasId>>();

  const change = (id: AliasId, { attached, detached }: Attachments): void => {
    for (const recipient of attached) {
      let ids = lists.get(recipient);
      if (ids === undefined) {
        ids = orderedIds();
        lists.set(recipient, ids);
      }
      ids.add(id);
    }
    for (const recipient of detached) lists.get(recipient)?.delete(id);
  };

  for (const alias of aliases) change(alias.id, attachments(null, alias));
  return { change, aliasesOf: (recipient) => lists.get(recipient) };
};
