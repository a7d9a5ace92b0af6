import type { LoggedMessage } from "@postern/core";
import { parseLoggedMessage } from "@postern/core/store";
import { stored } from "./row.ts";

/** The fields with columns of their own, by which messages are found, ordered and compared. */
type Column = "account" | "alias" | "at" | "id" | "revision";

/** The column `details`. */
export const detailsOf = (message: LoggedMessage): string => {
  const { direction, contact, size, subject, blocked, unsubscribesFrom, copies, keptBody, count } = message;
  const details = { direction, contact, size, subject, blocked, unsubscribesFrom, copies, keptBody, count };
  return JSON.stringify(details satisfies Omit<LoggedMessage, Column>);
};

/** The JSON that `loggedMessageOf` needs, from `logged_messages AS m`. */
export const LOGGED_MESSAGE = `(m.details || jsonb_build_object(
  'account', m.account, 'alias', m.alias_id, 'at', m.at, 'id', m.id, 'revision', m.revision))`;

/** @throws DamagedRow */
export const loggedMessageOf = (data: unknown): LoggedMessage =>
  stored("logged_messages", parseLoggedMessage, data);
