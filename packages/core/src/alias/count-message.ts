import { err, ok } from "neverthrow";
import type { AliasNotFound } from "../errors.ts";
import { begin } from "../operation/deadline.ts";
import type { OnUnreported, PortResult } from "../ports/port-result.ts";
import { Alias } from "./alias.ts";
import type { AliasKey } from "./aliases.ts";
import { type ChangeAliasPorts, changeAlias } from "./change-alias.ts";

/** An alias accepts no mail anymore. */
type NotAccepting = { readonly code: "not_accepting" };

/** Counts messages for aliases that accept a limited number of them. */
export type MessageCount = {
  /**
   * Counts a message for all of the aliases, or for none: each accepts at most as many messages as it may, no matter how many arrive at the
   * same time. Returns the aliases as they are afterward: switched off if this was the last message.
   */
  take(aliases: readonly AliasKey[]): PortResult<readonly Alias[], AliasNotFound | NotAccepting>;
  /** Undoes `take` for a message that could not be stored. If the store fails, that is reported, and the message stays counted. */
  giveBack(aliases: readonly AliasKey[]): Promise<void>;
};

export const messageCount = ({
  onUnreported,
  ...ports
}: ChangeAliasPorts & { readonly onUnreported: OnUnreported }): MessageCount => {
  const target = ({ account, id }: AliasKey) => ({ account, aliasId: id, expectedVersions: undefined });

  const giveBack: MessageCount["giveBack"] = async (aliases) => {
    for (const alias of aliases) {
      const given = await changeAlias<never>(ports, begin(ports), target(alias), [], (now, _, at) =>
        ok(Alias.giveMessageBack(now, at)),
      );
      if (given.isErr() && given.error.code === "unavailable") onUnreported(given.error);
    }
  };

  return {
    giveBack,
    take: async (aliases) => {
      const counted: Alias[] = [];
      for (const alias of aliases) {
        const taken = await changeAlias<NotAccepting>(
          ports,
          begin(ports),
          target(alias),
          [],
          (now, _, at) => {
            const after = Alias.takeMessage(now, at);
            return after === null ? err({ code: "not_accepting" }) : ok(after);
          },
        );
        if (taken.isErr()) {
          await giveBack(counted);
          // Nobody can expect another version.
          const { error } = taken;
          return err(error.code === "precondition_failed" ? { code: "not_accepting" } : error);
        }
        counted.push(taken.value);
      }
      return ok(counted);
    },
  };
};
