import type { Result } from "neverthrow";
import * as z from "zod";
import { type MessagePosition, messagePositionSchema } from "../message-log/message-position.ts";
import type { Brand } from "../values/brand.ts";
import { type AccountId, type AliasId, aliasId, type WebhookId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";
import type { WebhookKey } from "./webhook.ts";

/**
 * The minimum time that a store keeps an announcement, in milliseconds: 4 days. A webhook that fails is switched off after three days, and
 * until then older announcements about the same subject show whether an alias is new.
 */
export const ANNOUNCEMENT_RETENTION = 4 * 24 * 60 * 60 * 1_000;

/** What an event is about: an alias, or a message in its log. */
export type Subject = { readonly alias: AliasId; readonly message: MessagePosition | null };

/**
 * A note that a webhook may have to be sent an event about a subject that has, or is about to get, this version. It says nothing else about
 * the subject, which is read when the event is sent.
 */
export type Announcement = Subject & {
  readonly account: AccountId;
  readonly webhook: WebhookId;
  /** The version of the alias, or the revision of the message. */
  readonly version: number;
  /** When it was announced, in epoch milliseconds. */
  readonly at: number;
};

/**
 * Where an announcement is among those to its webhook: everything it consists of except its account and webhook. Announcements about one
 * subject are next to each other in the order of positions (`compareIds`).
 */
export type AnnouncementPosition = Brand<string, "AnnouncementPosition">;

/** No id contains a control character. */
const SEPARATOR = "\u0001";

const DIGITS = 16;

const digits = (number: number): string => String(number).padStart(DIGITS, "0");

const number = z
  .string()
  .regex(/^\d{16}$/)
  .transform(Number);

const parts = z
  .string()
  .transform((text) => text.split(SEPARATOR))
  .pipe(
    z.tuple([
      aliasId,
      z.union([z.literal("").transform(() => null), messagePositionSchema]),
      number.pipe(version),
      number.pipe(timestamp),
    ]),
  );

export const Announcement = {
  position: ({ alias, message, version, at }: Announcement): AnnouncementPosition =>
    [alias, message ?? "", digits(version), digits(at)].join(SEPARATOR) as AnnouncementPosition,
};

/** Parses the position of a stored announcement to a webhook, and returns the announcement. */
export const parseAnnouncement = (
  { account, id: webhook }: WebhookKey,
  position: unknown,
): Result<Announcement, InvalidRequest> =>
  parse(parts, position).map(([alias, message, version, at]) => ({
    account,
    webhook,
    alias,
    message,
    version,
    at,
  }));
