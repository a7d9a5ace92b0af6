import {
  type AccountId,
  EmailAddress,
  err,
  ok,
  parseEmailAddress,
  Recipient,
  type RecipientId,
  type Result,
  type Store,
} from "@postern/core";
import { type PageRequest, walkPages } from "@postern/core/store";
import { storeFailed } from "../explain-cause.ts";
import { printable } from "../printable.ts";

/** The form in which names and addresses are compared: an address in any case is the same recipient. */
const keyOf = (name: string): string => parseEmailAddress(name).map(EmailAddress.key).unwrapOr(name);

/** The account's recipients that have one of these addresses or ids, by the name that was used. */
export const findRecipients = async (
  { recipients }: Pick<Store, "recipients">,
  account: AccountId,
  names: readonly string[],
): Promise<Result<ReadonlyMap<string, Recipient>, string>> => {
  const wanted = new Set(names.map(keyOf));
  const byKey = new Map<string, Recipient>();
  const list = (page: PageRequest<RecipientId>) => recipients.list(account, page);
  for await (const recipient of walkPages(list)) {
    if (recipient.isErr()) return err(storeFailed(recipient.error, "nothing was changed. Try again"));
    const { id, email } = recipient.value;
    for (const key of [id, EmailAddress.key(email)]) if (wanted.has(key)) byKey.set(key, recipient.value);
  }
  return ok(
    new Map(
      names.flatMap((name) => {
        const recipient = byKey.get(keyOf(name));
        return recipient === undefined ? [] : [[name, recipient] as const];
      }),
    ),
  );
};

const problemOf = (recipient: Recipient | undefined): string | null => {
  if (recipient === undefined) return "is not a recipient of the account: add it with `recipient adopt`";
  switch (Recipient.ineligibility(recipient)) {
    case "unverified":
      return "is not verified yet: send a new link with `recipient resend`, or vouch for it with `recipient adopt`";
    case "inactive":
      return "is inactive: its owner has switched it off, and can switch it on again";
    case null:
      return null;
  }
};

/** The ids of recipients that an alias can forward to, in the order of their names, or what is wrong with each of the others. */
export const eligibleRecipients = async (
  store: Pick<Store, "recipients">,
  account: AccountId,
  names: readonly string[],
): Promise<Result<readonly RecipientId[], string>> =>
  (await findRecipients(store, account, names)).andThen((found) => {
    const chosen = names.map((name) => ({ name, recipient: found.get(name) }));
    const problems = chosen.flatMap(({ name, recipient }) => {
      const problem = problemOf(recipient);
      return problem === null ? [] : [`${printable(name)} ${problem}.`];
    });
    return problems.length > 0
      ? err([...new Set(problems), "Nothing was changed."].join("\n"))
      : ok(chosen.flatMap(({ recipient }) => recipient?.id ?? []));
  });
