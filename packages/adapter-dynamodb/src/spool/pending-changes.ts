import type { CopyId, MessageId } from "@postern/core";
import type { SpoolChanges, SpoolState } from "@postern/mail/spool-state";
import { MAX_WRITES, type Write } from "../database.ts";
import type { Key } from "../table.ts";
import type { StoredObject } from "./objects.ts";
import { copyKey, itemOf, messageKey, PAUSE } from "./spool-items.ts";

/** An object that has to be stored before the message that leads to it. */
type Upload = { readonly object: StoredObject; readonly octets: Uint8Array };

/** How much of DynamoDB's 4 MB for a transaction is used, in characters of which some take two octets. */
const MAX_SIZE = 1.5 * 2 ** 20;

const sizeOf = ({ Put }: Write): number => String(Put?.Item?.["data"] ?? "").length;

/** The writes in groups that fit into a transaction with one more write. */
export const inTransactions = (writes: readonly Write[]): readonly (readonly Write[])[] => {
  const groups: Write[][] = [];
  let [group, size]: [Write[], number] = [[], 0];
  for (const write of writes) {
    if (group.length === MAX_WRITES - 1 || size + sizeOf(write) > MAX_SIZE) [group, size] = [[], 0];
    if (group.length === 0) groups.push(group);
    group.push(write);
    size += sizeOf(write);
  }
  return groups;
};

/** Changes that have to be stored. */
export type DrainedChanges = {
  readonly uploads: readonly Upload[];
  /** In this order. Copies count only with their message: so they come before a new one, and after one that is forgotten. */
  readonly writes: readonly Write[];
  /** The names of objects to delete once that is stored. */
  readonly forgotten: readonly string[];
};

/** What has changed in a spool and is not stored yet. */
export type PendingChanges = SpoolChanges<StoredObject> & {
  upload(upload: Upload): void;
  pause(): void;
  /** Whether the object is to be deleted as soon as it is stored that no message leads to it. */
  isForgotten(name: string): boolean;
  /** Notes that this is stored. */
  deleted(names: readonly string[]): void;
  /** Forgets all changes, because the state is read again. */
  clear(): void;
  /** Takes the changes out. */
  drain(
    table: string,
    state: Pick<SpoolState<StoredObject>, "messageRecord" | "copyRecord">,
    pause: unknown,
  ): DrainedChanges;
};

export const pendingChanges = (): PendingChanges => {
  const messages = new Set<MessageId>();
  const copies = new Set<CopyId>();
  const forgotten = new Set<string>();
  const undeleted = new Set<string>();
  let uploads: Upload[] = [];
  let isPauseChanged = false;

  const drained = () => {
    for (const changed of [messages, copies, forgotten]) changed.clear();
    uploads = [];
    isPauseChanged = false;
  };

  return {
    message: (id) => void messages.add(id),
    copy: (id) => void copies.add(id),
    content: ({ name }) => {
      forgotten.add(name);
      undeleted.add(name);
    },
    upload: (upload) => void uploads.push(upload),
    pause: () => {
      isPauseChanged = true;
    },
    isForgotten: (name) => undeleted.has(name),
    deleted: (names) => {
      for (const name of names) undeleted.delete(name);
    },
    clear: () => {
      drained();
      undeleted.clear();
    },

    drain: (table, state, pause) => {
      const put = (key: Key, record: unknown): Write => ({
        Put: { TableName: table, Item: itemOf(key, record) },
      });
      const remove = (key: Key): Write => ({ Delete: { TableName: table, Key: { ...key } } });
      const [putCopies, removedCopies]: [Write[], Write[]] = [[], []];
      for (const id of copies) {
        const record = state.copyRecord(id);
        if (record === null) removedCopies.push(remove(copyKey(id)));
        else putCopies.push(put(copyKey(id), record));
      }
      const [putMessages, removedMessages]: [Write[], Write[]] = [[], []];
      for (const id of messages) {
        const record = state.messageRecord(id);
        if (record === null) removedMessages.push(remove(messageKey(id)));
        else putMessages.push(put(messageKey(id), record));
      }
      const paused = pause === null ? remove(PAUSE) : put(PAUSE, pause);
      const changed = {
        uploads,
        writes: [
          ...putCopies,
          ...putMessages,
          ...removedMessages,
          ...removedCopies,
          ...(isPauseChanged ? [paused] : []),
        ],
        forgotten: [...forgotten],
      };
      drained();
      return changed;
    },
  };
};
