import type { Body, Schemas } from "@postern/client";
import { parseCount } from "./command.ts";

/* Commander takes null for a value that is missing. */

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
