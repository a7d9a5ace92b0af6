import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Body, Schemas } from "@postern/client";
import { parseCount } from "./command.ts";

/* Commander takes null for a value that is missing. */

/** When an alias ends, in epoch milliseconds. @throws InvalidArgumentError, which commander shows */
export const parseEnd = (text: string): number | "never" => {
  if (text === "never") return text;
  // Without an offset, a date alone would be one in UTC, and a date with a time one here.
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError("It must be a time such as 2027-01-31T18:00, or `never`.");
  return time;
};

/** After how many more messages an alias ends. @throws InvalidArgumentError, which commander shows */
export const parseMessages = (text: string): number | "unlimited" =>
  text === "unlimited" ? text : parseCount(text);

type RuleOptions = {
  readonly acceptFrom?: "everybody" | "written_to" | "listed" | undefined;
  readonly addSender?: readonly string[] | undefined;
  readonly removeSender?: readonly string[] | undefined;
  readonly until?: number | "never" | undefined;
  readonly messages?: number | "unlimited" | undefined;
};

/** The rules to change, of which the list of senders is made from the one that there is. */
export const changesOf = (
  { senders }: Schemas["AliasRules"],
  { acceptFrom, addSender = [], removeSender = [], until, messages }: RuleOptions,
): Body<"updateAliasRules"> => {
  const removed = removeSender.map((sender) => sender.toLowerCase());
  return {
    ...(acceptFrom !== undefined && { accept_from: acceptFrom }),
    ...(addSender.length + removeSender.length > 0 && {
      senders: [...senders.filter((sender) => !removed.includes(sender.toLowerCase())), ...addSender],
    }),
    ...(until !== undefined && { active_until: until === "never" ? null : until }),
    ...(messages !== undefined && { messages_left: messages === "unlimited" ? null : messages }),
  };
};
