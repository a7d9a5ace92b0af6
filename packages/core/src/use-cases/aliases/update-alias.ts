import { err, type Result } from "neverthrow";
import { z } from "zod";
import { Alias } from "../../alias/alias.ts";
import { Description } from "../../alias/description.ts";
import type { AliasDeleted, InvalidRequest } from "../../errors.ts";
import type { Aliases, Clock } from "../../ports.ts";
import { AliasTarget, type ChangeAliasError, changeAlias } from "../shared/change-alias.ts";
import { parse } from "../shared/parse.ts";

const Command = AliasTarget.extend({ description: Description.optional(), active: z.boolean().optional() });
export type UpdateAliasCommand = z.input<typeof Command>;

export type UpdateAliasError = InvalidRequest | AliasDeleted | ChangeAliasError;

/** Changes the description, or whether the alias accepts mail; what is not given is left alone. */
export const updateAlias =
  (ports: { aliases: Pick<Aliases, "findWithRecipients" | "save">; clock: Clock }) =>
  async (input: UpdateAliasCommand): Promise<Result<Alias, UpdateAliasError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { description, active, ...target } = command.value;
    return changeAlias(ports, target, [], (alias, _, now) =>
      Alias.change(alias, { description, active }, now),
    );
  };
