import { err, ok, type Result } from "neverthrow";
import type { AccountLimits } from "../account/limits.ts";
import { Creation, type Once } from "../creation/creation.ts";
import type {
  AddressNotAllowed,
  AddressTaken,
  AlreadyCreated,
  Conflict,
  RecipientsIneligible,
  TooManyAliases,
  Unavailable,
} from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { Ids } from "../ports/ids.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { type Domain, EmailAddress, emailAddress } from "../values/email-address.ts";
import type { AccountId } from "../values/identifiers.ts";
import { type AddressFormat, localPart } from "./address/local-part.ts";
import { reservedNames } from "./address/reserved-names.ts";
import { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import type { RecipientIds } from "./destinations.ts";

export type NewAliasPorts = RetryPorts & {
  readonly aliases: Pick<Aliases, "create">;
  readonly ids: Pick<Ids, "alias">;
  readonly secrets: Pick<Secrets, "random">;
  readonly aliasDomains: AliasDomains;
  readonly limits: Pick<AccountLimits, "aliases">;
  /** Local parts that are reserved in addition to the built-in ones; none by default. */
  readonly reservedNames?: readonly string[] | undefined;
};

/** The ids of the recipients that an alias is to have, and what is stored of them. */
export type ChosenRecipients = { readonly ids: RecipientIds; readonly found: readonly Recipient[] };

/** The alias that somebody wants. */
type Wanted<E> = {
  readonly account: AccountId;
  /** Generated if undefined, in the format and on the domain; by default `random` and the first one. */
  readonly email?: EmailAddress | undefined;
  readonly format?: AddressFormat | undefined;
  readonly domain?: Domain | undefined;
  readonly description: string;
  readonly website: string;
  /** Reads them; again in every attempt. */
  readonly recipients: () => Promise<Result<ChosenRecipients, E | Unavailable>>;
};

type NewAliasFailure =
  | AddressNotAllowed
  | AddressTaken
  | RecipientsIneligible
  | TooManyAliases
  | AlreadyCreated
  | Unavailable;

/** Creates an alias, and stores with which key, if there is one. */
export const newAlias = ({
  aliases,
  ids,
  secrets,
  aliasDomains,
  limits,
  reservedNames: ownReservedNames = [],
  ...retry
}: NewAliasPorts) => {
  const isReserved = reservedNames(ownReservedNames);

  return async <E extends { readonly code: string } = never>(
    {
      account,
      email,
      format = "random",
      domain = aliasDomains[0],
      description,
      website,
      recipients,
    }: Wanted<E>,
    once: Once | null,
    timeLeft: TimeLeft,
  ): Promise<Result<Alias, E | NewAliasFailure>> => {
    if (!aliasDomains.includes(email === undefined ? domain : EmailAddress.domain(email))) {
      return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
    }
    if (email !== undefined && isReserved(email)) {
      return err({ code: "address_not_allowed", reason: "reserved" });
    }
    return retryOnConflict<Alias, E | NewAliasFailure>(
      retry,
      timeLeft,
      async (): Promise<Result<Alias, E | NewAliasFailure | Conflict>> => {
        const chosen = await recipients();
        if (chosen.isErr()) return err(chosen.error);
        const address = email ?? emailAddress.parse(`${localPart(format, secrets.random)}@${domain}`);
        const identity = { id: ids.alias(), account, email: address, description, website };
        const created = Alias.create(identity, chosen.value.ids, chosen.value.found, retry.clock.now());
        if (created.isErr()) return err(created.error);
        const { id, createdAt } = created.value;
        const creation = once === null ? undefined : Creation.of(once, { kind: "alias", id }, createdAt);
        const stored = await aliases.create(created.value, limits, creation, timeLeft());
        if (stored.isOk()) return ok(created.value);
        // Another alias already has the generated address: generate a new one.
        const again = email === undefined && stored.error.code === "address_taken";
        return err(again ? { code: "conflict" } : stored.error);
      },
    );
  };
};
