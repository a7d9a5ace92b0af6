import { err, type Result } from "neverthrow";
import * as z from "zod";
import type { Suspensions } from "../account/suspensions.ts";
import type {
  AddressNotAllowed,
  AliasDeleted,
  AliasInactive,
  AliasNotFound,
  AliasSuspended,
  Unavailable,
} from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { EmailAddress, emailAddress } from "../values/email-address.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { AliasState } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { requireAccepting } from "./require-accepting.ts";

const query = z.object({ address: emailAddress });

/** `address` is the recipient of a message, as in `RCPT TO`. */
export type ResolveAliasQuery = { readonly address: string };

/** The alias that accepts the message, without its tallies. Forward it to each of `alias.destinations`. */
export type ResolvedAlias = {
  readonly alias: AliasState;
  /** The tag of the subaddress: `news` for `shop+news@…` where the alias is `shop@…`. Null without one. */
  readonly tag: string | null;
};

export type ResolveAliasError =
  | InvalidRequest
  /** Not on an alias domain: this service does not receive its mail. */
  | AddressNotAllowed
  | AliasNotFound
  | AliasDeleted
  | AliasInactive
  | AliasSuspended
  | Unavailable;

type Failure = Exclude<ResolveAliasError, InvalidRequest>;

/** Whether mail goes to the alias that has the exact address, rather than to the one that has it without the tag. */
const isPreferred = (exact: AliasState, base: AliasState | null): boolean =>
  base === null || base.account === exact.account || exact.createdAt <= base.createdAt;

/**
 * Finds where to forward mail for an address, or why it is not accepted. Searches all accounts: it is for the receiving
 * mail server of a forwarding domain, not for an account's owner.
 *
 * The exact address is tried first. If no alias has it, its tag is removed (`shop+news@` finds `shop@`; RFC 5233). If the aliases of two
 * accounts match, the older one wins, so that nobody can take over mail that another account receives. Case does not matter. Reads the
 * current state: a message accepted after a replacement goes to the new recipients. Only a suspension of the account can take up to 10
 * seconds to be noticed; it takes precedence over the state of the alias.
 *
 * @example
 * ```ts
 * const resolved = await service.resolveAlias({ address: "shop+news@alias.example" });
 * if (resolved.isOk()) resolved.value.alias.destinations; // [{ recipientId, email }, …]
 * ```
 */
export const resolveAlias = ({
  aliases,
  suspensions,
  aliasDomains,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findByEmail">;
  readonly suspensions: Pick<Suspensions, "find">;
  readonly aliasDomains: AliasDomains;
}): Operation<ResolveAliasQuery, ResolvedAlias, ResolveAliasError> =>
  operation(timing, query, async ({ address }, timeLeft): Promise<Result<ResolvedAlias, Failure>> => {
    if (!aliasDomains.includes(EmailAddress.domain(address))) {
      return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
    }
    const accepting = async (
      alias: AliasState,
      tag: string | null,
    ): Promise<Result<ResolvedAlias, Failure>> => {
      const accepted = await requireAccepting({ suspensions, clock: timing.clock }, timeLeft, alias);
      return accepted.map(() => ({ alias, tag }));
    };
    const exact = await aliases.findByEmail(address, timeLeft());
    if (exact.isErr()) return err(exact.error);
    const subaddress = EmailAddress.withoutTag(address);
    if (subaddress === null) {
      return exact.value === null ? err({ code: "alias_not_found" }) : accepting(exact.value, null);
    }
    const base = await aliases.findByEmail(subaddress.address, timeLeft());
    if (base.isErr()) return err(base.error);
    if (exact.value !== null && isPreferred(exact.value, base.value)) return accepting(exact.value, null);
    return base.value === null ? err({ code: "alias_not_found" }) : accepting(base.value, subaddress.tag);
  });
