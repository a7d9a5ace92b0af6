import { Alias, type AliasState } from "@postern/core";
import { printable } from "../printable.ts";

export const stateOf = (alias: AliasState): "active" | "inactive" | "deleted" => {
  if (alias.deletedAt !== null) return "deleted";
  return Alias.accepts(alias, Date.now()) ? "active" : "inactive";
};

/** The addresses that an alias forwards to, in its order. */
export const addressesOf = ({ destinations }: Alias): string =>
  destinations.map(({ email }) => email).join(", ");

const lineOf = (alias: Alias): string =>
  [
    alias.email,
    stateOf(alias),
    addressesOf(alias),
    printable(alias.id),
    ...(alias.description === "" ? [] : [printable(alias.description)]),
  ].join("\t");

/** The recipients that an alias forwards to, in its order, as JSON. */
export const recipientsOf = ({ destinations }: Alias) =>
  destinations.map(({ recipientId, email }) => ({ recipient: recipientId, email }));

const jsonOf = (alias: Alias): string =>
  JSON.stringify({
    alias: alias.id,
    email: alias.email,
    state: stateOf(alias),
    recipients: recipientsOf(alias),
    description: alias.description,
  });

/** How a command shows an alias, on one line. */
export const showAlias = (flags: ReadonlySet<string>): ((alias: Alias) => string) =>
  flags.has("json") ? jsonOf : lineOf;
