import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import { createOnce, unlessCreated } from "../creation/create-once.ts";
import type { Creations } from "../creation/creations.ts";
import type {
  AddressNotAllowed,
  AddressTaken,
  AliasNotFound,
  AlreadyCreated,
  IdempotencyKeyReused,
  NoDefaultRecipient,
  RecipientsIneligible,
  TooManyAliases,
  Unavailable,
} from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Secrets } from "../ports/secrets.ts";
import { findDefaultRecipient } from "../recipient/default-recipient.ts";
import { Recipient } from "../recipient/recipient.ts";
import type { Recipients } from "../recipient/recipients.ts";
import { domain } from "../values/email-address.ts";
import { type AccountId, accountId, MAX_ID_LENGTH } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { ADDRESS_FORMATS, type AddressFormat } from "./address/local-part.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { descriptionOf } from "./description.ts";
import { type RecipientIds, recipientIds } from "./destinations.ts";
import { findAlias } from "./find-alias.ts";
import { type NewAliasPorts, newAlias } from "./new-alias.ts";
import { websiteHost } from "./website.ts";

/** How long a repeat gets the alias of the first call, in milliseconds. */
const REPEATED_WITHIN = 60_000;

const command = z.object({
  account: accountId,
  program: z
    .string()
    .min(1, "must not be empty")
    .max(MAX_ID_LENGTH, `must be at most ${MAX_ID_LENGTH} characters`),
  website: z.string().transform(websiteHost),
  note: z.string().transform(descriptionOf),
  format: z.enum(ADDRESS_FORMATS, `must be one of: ${ADDRESS_FORMATS.join(", ")}`).default("random"),
  domain: domain.optional(),
  recipientIds: recipientIds.optional(),
});

export type CreateAliasForWebsiteCommand = {
  readonly account: string;
  /** Which program asks, such as the id of its API key: 1 to 128 characters. */
  readonly program: string;
  /** The website that the alias is for: any text, such as an address. Its host is kept, if there is one in it. */
  readonly website: string;
  /** Any text: what a description can hold of it becomes the description. */
  readonly note: string;
  /** How to generate the address; `random` by default. */
  readonly format?: AddressFormat | undefined;
  /** The alias domain of the generated address; the first one by default. */
  readonly domain?: string | undefined;
  /** The recipients, 1 to 40 ids, of which those that are verified and active count; the default recipient by default. */
  readonly recipientIds?: readonly string[] | undefined;
};

export type CreateAliasForWebsiteError =
  | InvalidRequest
  | AddressNotAllowed
  | AddressTaken
  | RecipientsIneligible
  | NoDefaultRecipient
  | TooManyAliases
  | IdempotencyKeyReused
  | AliasNotFound
  | Unavailable;

/** Those of the recipients that can be attached, or else all of them, which is then refused. */
const eligible = (ids: RecipientIds, found: readonly Recipient[]): RecipientIds => {
  const usable = new Set(
    found.filter((recipient) => Recipient.ineligibility(recipient) === null).map(({ id }) => id),
  );
  const chosen = ids.filter((id) => usable.has(id));
  return isNonEmpty(chosen) ? chosen : ids;
};

/**
 * Creates an alias with a generated address for a website, as password managers do: nothing that they send about the website is refused.
 * Programs repeat a call when they get no answer, so one by the same program with the same host and note, within a minute, returns the
 * alias that the first one created, unless that has been deleted.
 *
 * @example
 * ```ts
 * await service.createAliasForWebsite({ account, program, website: "https://shop.example/login", note: "" });
 * ```
 */
export const createAliasForWebsite = ({
  creations,
  ...ports
}: NewAliasPorts & {
  readonly aliases: Pick<Aliases, "create" | "findWithRecipients">;
  readonly recipients: Pick<Recipients, "findAll" | "list">;
  readonly creations: Pick<Creations, "find">;
  readonly secrets: Pick<Secrets, "random" | "hash">;
}): Operation<CreateAliasForWebsiteCommand, Alias, CreateAliasForWebsiteError> => {
  const create = newAlias(ports);

  type Failure = Exclude<CreateAliasForWebsiteError, InvalidRequest>;

  const recipientsFor = async (
    account: AccountId,
    wanted: RecipientIds | undefined,
    timeLeft: TimeLeft,
  ): Promise<Result<RecipientIds, Failure>> => {
    if (wanted === undefined) {
      const chosen = await findDefaultRecipient(ports.recipients, account, timeLeft);
      return chosen.map(({ id }) => [id]);
    }
    const found = await ports.recipients.findAll(account, wanted, timeLeft());
    return found.map((recipients) => eligible(wanted, recipients));
  };

  return operation(ports, command, ({ program, note, recipientIds: ids, ...wanted }, timeLeft) => {
    const { account, website } = wanted;

    const createFor = async (
      once: Parameters<typeof create>[1],
    ): Promise<Result<Alias, Failure | AlreadyCreated>> => {
      const recipients = await recipientsFor(account, ids, timeLeft);
      if (recipients.isErr()) return err(recipients.error);
      return create({ ...wanted, description: note, recipientIds: recipients.value }, once, timeLeft);
    };

    const asked = [program, website, note];
    return createOnce<Alias, Failure, Failure>(
      { creations, ...ports },
      timeLeft,
      // No idempotency key of a client contains a space.
      { account, key: `for website ${JSON.stringify(asked)}`, asked, retention: REPEATED_WITHIN },
      createFor,
      async ({ kind, id }) => {
        if (kind !== "alias") return err({ code: "idempotency_key_reused" });
        const first = await findAlias(ports.aliases, timeLeft, { account, aliasId: id });
        if (first.isOk() && first.value.deletedAt === null) return ok(first.value);
        if (first.isErr() && first.error.code === "unavailable") return err(first.error);
        return (await createFor(null)).mapErr(unlessCreated<Failure>);
      },
    );
  });
};
