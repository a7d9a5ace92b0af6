import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { ForwardingPause } from "@postern/mail";
import type { CopyRecord, MessageRecord, SpoolRecords } from "@postern/mail/spool-state";
import { type Database, queryAll } from "../database.ts";
import { decode, type ItemParser, type StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import type { StoredObject } from "./objects.ts";
import {
  ALL,
  isCopy,
  isMessage,
  messageKey,
  PAUSE,
  parseCopyItem,
  parseMessageItem,
  pauseOf,
} from "./spool-items.ts";

/** What a spool has stored. */
export type StoredSpool = {
  readonly records: SpoolRecords<StoredObject>;
  readonly pause: ForwardingPause | null;
  /** Copies whose message was never stored, or is forgotten: a process ended between the transactions of a large message. */
  readonly strays: readonly CopyRecord[];
  /** The sort keys of messages that do not parse. */
  readonly unreadable: ReadonlySet<string>;
};

/** Everything that is stored. What does not parse is reported and left out, with its copies if it is a message. */
export const readRecords = async (
  database: Database,
  signal: AbortSignal,
): Promise<Result<StoredSpool, Unavailable>> => {
  const items = await queryAll(database, ALL, signal);
  if (items.isErr()) return err(items.error);
  const parsed = <T>(those: readonly StoredItem[], parse: ItemParser<T>): readonly T[] =>
    those.flatMap((item) =>
      decode(database, parse, item).match(
        (value) => [value],
        () => [],
      ),
    );
  const messageItems = items.value.filter(isMessage);
  const messages: readonly MessageRecord<StoredObject>[] = parsed(messageItems, parseMessageItem);
  const copies = parsed(items.value.filter(isCopy), parseCopyItem);
  const readable = new Set(messages.map(({ message }) => message.id));
  const stored = new Set(messageItems.map(({ sk }) => sk));
  return ok({
    records: { messages, copies: copies.filter(({ copy }) => readable.has(copy.message)) },
    pause: pauseOf(items.value.find((item) => Key.same(item, PAUSE))),
    strays: copies.filter(({ copy }) => !stored.has(messageKey(copy.message).sk)),
    unreadable: stored.difference(new Set(messages.map(({ message }) => messageKey(message.id).sk))),
  });
};
