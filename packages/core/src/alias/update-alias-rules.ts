import * as z from "zod";
import type { AliasDeleted } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Sender, sender } from "../values/sender.ts";
import { Alias } from "./alias.ts";
import {
  type AliasTarget,
  aliasTarget,
  type ChangeAliasError,
  type ChangeAliasPorts,
  changeAlias,
} from "./change-alias.ts";
import {
  ACCEPT_FROM,
  type AcceptFrom,
  MAX_ACTIVE_UNTIL,
  MAX_LISTED_SENDERS,
  MAX_MESSAGES_LEFT,
} from "./rules.ts";

const senders = z
  .array(z.unknown())
  .max(MAX_LISTED_SENDERS, `must be at most ${MAX_LISTED_SENDERS} senders`)
  .pipe(z.array(sender))
  .transform((all) => [...new Map(all.map((each) => [Sender.key(each), each])).values()]);

const command = (now: () => number) =>
  aliasTarget.extend({
    acceptFrom: z.enum(ACCEPT_FROM, `must be one of: ${ACCEPT_FROM.join(", ")}`).optional(),
    senders: senders.optional(),
    activeUntil: z
      .int()
      .max(MAX_ACTIVE_UNTIL, "must be in milliseconds since 1970, and before the year 10000")
      .refine((at) => at > now(), "must be in the future: to stop mail now, switch the alias off")
      .nullable()
      .optional(),
    messagesLeft: z
      .int()
      .min(1, "must be at least 1: to stop mail now, switch the alias off")
      .max(MAX_MESSAGES_LEFT, `must be at most ${MAX_MESSAGES_LEFT}`)
      .nullable()
      .optional(),
  });

/** Omitted rules stay unchanged. */
export type UpdateAliasRulesCommand = AliasTarget & {
  /** Whose mail the alias accepts. */
  readonly acceptFrom?: AcceptFrom | undefined;
  /**
   * Whose mail is accepted with `listed`: email addresses and domains, at most 100. A domain includes its subdomains.
   * Replaces the previous list.
   */
  readonly senders?: readonly string[] | undefined;
  /** When the alias ends, in epoch milliseconds, in the future; null for never. */
  readonly activeUntil?: number | null | undefined;
  /** After how many more messages the alias ends: 1 to 1,000,000; null for never. */
  readonly messagesLeft?: number | null | undefined;
};

export type UpdateAliasRulesError = InvalidRequest | AliasDeleted | ChangeAliasError;

/**
 * Changes whose mail an alias accepts, and when it ends. An alias that has ended accepts no mail: the mail plane switches it off, and tells
 * its recipients once. It stays off until it is switched on again (`updateAlias`).
 *
 * @example
 * ```ts
 * await service.updateAliasRules({ account, aliasId, acceptFrom: "listed", senders: ["shop.example"] });
 * ```
 */
export const updateAliasRules = (
  ports: ChangeAliasPorts,
): Operation<UpdateAliasRulesCommand, Alias, UpdateAliasRulesError> =>
  operation(
    ports,
    command(() => ports.clock.now()),
    ({ account, aliasId, expectedVersions, ...wanted }, timeLeft) =>
      changeAlias(ports, timeLeft, { account, aliasId, expectedVersions }, [], (alias, _, now) =>
        Alias.changeRules(alias, wanted, now),
      ),
  );
