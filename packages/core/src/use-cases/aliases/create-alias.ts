import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { ADDRESS_FORMATS, localPart } from "../../alias/address/local-part.ts";
import { isReserved } from "../../alias/address/reserved-names.ts";
import { Alias } from "../../alias/alias.ts";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import { Description } from "../../alias/description.ts";
import { RecipientIds } from "../../alias/destinations.ts";
import type {
  AddressNotAllowed,
  AddressTaken,
  Conflict,
  InvalidRequest,
  RecipientsIneligible,
  Unavailable,
} from "../../errors.ts";
import type { Aliases, Clock, Ids, Recipients, Secrets } from "../../ports.ts";
import { Domain, EmailAddress } from "../../values/email-address.ts";
import { AccountId } from "../../values/identifiers.ts";
import { parse } from "../shared/parse.ts";
import { whileContended } from "../shared/retry-on-conflict.ts";

const Command = z
  .object({
    account: AccountId,
    email: EmailAddress.optional(),
    format: z.enum(ADDRESS_FORMATS).optional(),
    domain: Domain.optional(),
    description: Description.default(""),
    recipientIds: RecipientIds,
  })
  .refine(({ email, format, domain }) => email === undefined || (format ?? domain) === undefined, {
    path: ["email"],
    error: "must not be given together with a format or a domain: these make an address",
  });
export type CreateAliasCommand = z.input<typeof Command>;

export type CreateAliasError =
  | InvalidRequest
  | AddressNotAllowed
  | AddressTaken
  | RecipientsIneligible
  | Unavailable;

/**
 * Makes a new, active alias that forwards to the listed recipients: of the address `email`, or of one made in the
 * `format` ("random" unless told) on `domain` (the first alias domain unless told), which nobody can guess.
 */
export const createAlias =
  ({
    aliases,
    recipients,
    clock,
    ids,
    secrets,
    aliasDomains,
  }: {
    aliases: Pick<Aliases, "create">;
    recipients: Pick<Recipients, "findAll">;
    clock: Clock;
    ids: Pick<Ids, "alias">;
    secrets: Pick<Secrets, "random">;
    aliasDomains: AliasDomains;
  }) =>
  async (input: CreateAliasCommand): Promise<Result<Alias, CreateAliasError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { account, email, format = "random", domain = aliasDomains[0], ...rest } = command.value;
    const { description, recipientIds } = rest;
    if (!aliasDomains.includes(email === undefined ? domain : EmailAddress.domain(email))) {
      return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
    }
    if (email !== undefined && isReserved(email)) {
      return err({ code: "address_not_allowed", reason: "reserved" });
    }

    const address = () => email ?? EmailAddress.parse(`${localPart(format, secrets.random)}@${domain}`);
    return whileContended(clock, async (): Promise<Result<Alias, CreateAliasError | Conflict>> => {
      const found = await recipients.findAll(account, recipientIds);
      if (found.isErr()) return err(found.error);
      const identity = { id: ids.alias(), account, email: address(), description };
      const created = Alias.create(identity, recipientIds, found.value, clock.now());
      if (created.isErr()) return err(created.error);
      const kept = await aliases.create(created.value);
      if (kept.isOk()) return ok(created.value);
      // Somebody has the address that was made just now: make another one.
      const again = email === undefined && kept.error.code === "address_taken";
      return err(again ? { code: "conflict" } : kept.error);
    });
  };
