import { err, type Result } from "neverthrow";
import { z } from "zod";
import { Alias } from "../alias.ts";
import { AliasDomains } from "../alias-domains.ts";
import { Description } from "../description.ts";
import { RecipientIds } from "../destinations.ts";
import { EmailAddress } from "../email-address.ts";
import type {
  AddressNotAllowed,
  AddressTaken,
  Conflict,
  InvalidRequest,
  RecipientsIneligible,
  Unavailable,
} from "../errors.ts";
import { AccountId } from "../identifiers.ts";
import { parse } from "../parse.ts";
import type { Aliases, Clock, Ids, Recipients } from "../ports.ts";
import { whileContended } from "../retry.ts";

const Command = z.object({
  account: AccountId,
  email: EmailAddress,
  description: Description.default(""),
  recipientIds: RecipientIds,
});
export type CreateAliasCommand = z.input<typeof Command>;

export type CreateAliasError =
  | InvalidRequest
  | AddressNotAllowed
  | AddressTaken
  | RecipientsIneligible
  | Unavailable;

/** Makes a new, active alias of an address on one of the alias domains, forwarding to the listed recipients. */
export const createAlias =
  ({
    aliases,
    recipients,
    clock,
    ids,
    aliasDomains,
  }: {
    aliases: Pick<Aliases, "create">;
    recipients: Pick<Recipients, "findAll">;
    clock: Clock;
    ids: Pick<Ids, "alias">;
    aliasDomains: AliasDomains;
  }) =>
  async (input: CreateAliasCommand): Promise<Result<Alias, CreateAliasError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { account, email, description, recipientIds } = command.value;
    if (!AliasDomains.include(aliasDomains, email)) {
      return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
    }

    return whileContended(clock, async (): Promise<Result<Alias, CreateAliasError | Conflict>> => {
      const found = await recipients.findAll(account, recipientIds);
      if (found.isErr()) return err(found.error);
      const identity = { id: ids.alias(), account, email, description };
      const created = Alias.create(identity, recipientIds, found.value, clock.now());
      if (created.isErr()) return err(created.error);
      const kept = await aliases.create(created.value);
      return kept.map(() => created.value);
    });
  };
