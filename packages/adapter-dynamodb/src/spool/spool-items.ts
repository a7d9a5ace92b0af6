import { type CopyId, err, MAIL_OUTCOMES, type MessageId, ok } from "@postern/core";
import { count, eventId, timestamp } from "@postern/core/operations";
import { type ForwardingPause, parseCopy, parseMessage } from "@postern/mail";
import type { CopyRecord, MessageRecord } from "@postern/mail/spool-state";
import * as z from "zod";
import { type ItemParser, itemParser, type StoredItem } from "../item.ts";
import { type Key, type KeySpan, SCHEMA } from "../table.ts";
import type { StoredObject } from "./objects.ts";

/*
 * The table of a spool: one partition, with an item for the lease, one for the pause, and one for each record. A record is text in the
 * attribute `data`: that takes up least.
 */

const SPOOL = "spool";
const MESSAGE = "message#";
const COPY = "copy#";

export const LEASE: Key = { pk: SPOOL, sk: "lease" };
export const PAUSE: Key = { pk: SPOOL, sk: "pause" };
export const messageKey = (id: MessageId): Key => ({ pk: SPOOL, sk: MESSAGE + id });
export const copyKey = (id: CopyId): Key => ({ pk: SPOOL, sk: COPY + id });

export const isMessage = ({ sk }: Key): boolean => sk.startsWith(MESSAGE);
export const isCopy = ({ sk }: Key): boolean => sk.startsWith(COPY);

/** Every item of the table. */
export const ALL: KeySpan = { pk: SPOOL, first: COPY, last: PAUSE.sk };

export const itemOf = (key: Key, record: unknown) => ({
  ...key,
  schema: SCHEMA,
  data: JSON.stringify(record),
});

const CORRUPT = { code: "corrupt" } as const;

/** Parses an item whose record has these members. */
const recordParser = <T>(parse: ItemParser<T>): ItemParser<T> =>
  itemParser((item) => {
    try {
      return parse({ ...item, ...JSON.parse(String(item["data"])) });
    } catch {
      return err(CORRUPT);
    }
  });

const MessageFacts = z.object({
  content: z
    .object({ name: z.string(), header: count, body: count })
    .nullable() satisfies z.ZodType<StoredObject | null>,
  octets: count,
});

export const parseMessageItem: ItemParser<MessageRecord<StoredObject>> = recordParser((item) =>
  parseMessage(item["message"]).map((message) => ({ message, ...MessageFacts.parse(item) })),
);

const CopyFacts = z.object({
  place: count,
  noticed: z.boolean(),
  outcomes: z.array(
    z.object({
      event: z.object({ id: eventId, outcome: z.enum(MAIL_OUTCOMES), at: timestamp }),
      place: count.nullable(),
    }),
  ),
  log: z.object({ revision: count, place: count.nullable() }).nullable(),
});

export const parseCopyItem: ItemParser<CopyRecord> = recordParser((item) =>
  parseCopy(item["copy"]).map((copy) => ({ copy, ...CopyFacts.parse(item) })),
);

const Pause = z.object({
  reason: z.enum(["relay", "refusals", "store"]),
  cause: z.object({ source: z.string(), reason: z.string() }).nullable(),
  since: timestamp,
  nextAt: timestamp,
});

const parsePauseItem = recordParser((item) => ok(Pause.parse(item)));

/** The pause in its item. A damaged one, which nothing depends on, is none. */
export const pauseOf = (item: StoredItem | undefined): ForwardingPause | null =>
  item === undefined ? null : parsePauseItem(item).unwrapOr(null);
