import { EmailAddress, err, parseEmailAddress, type Result, type Store } from "@postern/core";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import { withStore } from "../with-store.ts";
import { stateOf } from "./show-alias.ts";

export const aliasOwner: Command["run"] = async (configuration, [text]) => {
  const email = parseEmailAddress(text);
  if (email.isErr()) return err("ADDRESS is not an email address such as name@example.com.");
  return withStore(configuration, "alongside", (store) => findOwner(store, email.value));
};

/** Finds the alias as mail does: with the exact address or, if there is none, without its tag. */
const findOwner = async (store: Store, email: EmailAddress): Promise<Result<string, string>> => {
  const subaddress = EmailAddress.withoutTag(email);
  const candidates = subaddress === null ? [email] : [email, subaddress.address];
  for (const candidate of candidates) {
    const alias = await store.aliases.findByEmail(candidate);
    if (alias.isErr()) return err(storeFailed(alias.error, "try again"));
    if (alias.value === null) continue;
    const { account, id } = alias.value;
    const since = await store.suspensions.find(account);
    if (since.isErr()) return err(storeFailed(since.error, "try again"));
    const printed = await printLines([
      `account: ${printable(account)}`,
      `alias: ${printable(id)}`,
      `state: ${stateOf(alias.value)}${since.value === null ? "" : ", account suspended"}`,
    ]);
    const found =
      candidate === email ? "An alias has this address." : "An alias has this address without its tag.";
    return printed.map(() => found).mapErr((reason) => `${reason}.`);
  }
  for (const candidate of candidates) {
    const retired = await store.aliases.isRetired(candidate);
    if (retired.isErr()) return err(storeFailed(retired.error, "try again"));
    if (retired.value)
      return err(
        "The alias with this address was erased: the address stays taken, and its owner is no longer stored.",
      );
  }
  return err("No alias has this address.");
};
