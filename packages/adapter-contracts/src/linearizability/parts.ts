import { isDeepStrictEqual } from "node:util";
import type { Call } from "./checker.ts";
import type { Operation, WorldCall, WorldOutput } from "./model.ts";

/** What an operation returned. */
export type Outcome =
  | WorldOutput
  | {
      readonly reassigned: readonly string[];
      readonly remaining: number;
      /** Whether it reached the last alias. */
      readonly complete: boolean;
    };

type Made = Call<Operation, Outcome>;
type Part = Call<WorldCall, WorldOutput>;

/** The recipients that a call must be able to attach, as far as the call itself names them. */
const listed = (input: Operation): readonly string[] =>
  "list" in input && input.list !== null ? input.list : [];

const statusNeeded = (input: Operation): "live" | "deleted" | null => {
  switch (input.call) {
    case "replace":
    case "switch":
      return "live";
    case "restore":
      return input.list === null ? "deleted" : null;
    default:
      return null;
  }
};

/**
 * The parts of one call, each of which happened at some moment during the call. Calls other than these have a single part,
 * themselves.
 *
 * - A refusal guarantees less than other results: each recipient and the alias were as reported, but not necessarily all at the
 *   same moment, because a store may read one after the other. (What succeeds happens at one moment, that of the write.)
 * - An alias is read with its settings as they were at one moment of the call and its counters as they were at another, because
 *   a store may keep them apart.
 * - A reassignment changes one alias after another. If it is interrupted, it may have changed one more.
 */
const partsOf = (made: Made, aliases: readonly string[]): readonly Part[] => {
  const { process, called, input, result } = made;
  const part = (partial: WorldCall, output: WorldOutput | null): Part => ({
    process,
    called,
    input: partial,
    result: output === null || result === null ? null : { output, returned: result.returned },
  });
  const mayAttach = (
    recipient: string,
    reasons: ReadonlyMap<string, "unknown" | "unverified" | "inactive">,
  ) => part({ call: "may attach", recipient }, { reason: reasons.get(recipient) ?? null });
  const status = "alias" in input ? statusNeeded(input) : null;
  const isNeeded =
    "alias" in input && status !== null ? [part({ call: "status", alias: input.alias }, status)] : [];

  if (input.call === "reassign") {
    const { recipient, to } = input;
    const moves = (names: readonly string[], output: "moved" | null) =>
      names.map((alias) => part({ call: "move", alias, recipient, to }, output));
    if (result === null) return moves(aliases, null);
    const { output } = result;
    if (typeof output === "string") return [part({ call: "look", recipient }, output)];
    if ("ineligible" in output)
      return output.ineligible.map(({ id, reason }) =>
        part({ call: "may attach", recipient: id }, { reason }),
      );
    if (!("reassigned" in output)) throw new Error("reassign returns what it has reassigned");
    const { reassigned, remaining, complete } = output;
    return [
      ...moves(reassigned, "moved"),
      ...(complete
        ? []
        : moves(
            aliases.filter((alias) => !reassigned.includes(alias)),
            null,
          )),
      part({ call: "count", recipient }, { attached: remaining }),
    ];
  }
  if (result === null) return [part(input, null)];
  const { output } = result;
  if (typeof output !== "string" && "reassigned" in output)
    throw new Error(`${input.call} reassigns nothing`);
  if (input.call === "read" && typeof output !== "string" && "version" in output && "count" in output) {
    const { count, ...settings } = output;
    const { alias } = input;
    return [part({ call: "settings", alias }, settings), part({ call: "tally", alias }, { count })];
  }
  if (typeof output !== "string" && "ineligible" in output) {
    const reasons = new Map(output.ineligible.map(({ id, reason }) => [id, reason]));
    const names = input.call === "restore" && input.list === null ? [...reasons.keys()] : listed(input);
    const inOrder = names.filter((id) => reasons.has(id));
    // Left for the model to reject.
    if (inOrder.length === 0 || !isDeepStrictEqual(inOrder, [...reasons.keys()]))
      return [part(input, output)];
    return [...isNeeded, ...names.map((id) => mayAttach(id, reasons))];
  }
  const attachable = () => listed(input).map((id) => mayAttach(id, new Map()));
  if (output === "precondition_failed" && "ifMatch" in input && input.ifMatch !== null) {
    const { alias, ifMatch } = input;
    const mustBeLive = input.call === "restore" ? [] : isNeeded;
    return [part({ call: "differs", alias, from: ifMatch }, "different"), ...mustBeLive, ...attachable()];
  }
  if (output === "address_taken" && input.call === "create") {
    return [part({ call: "taken", alias: input.alias }, output), ...attachable()];
  }
  return [part(input, output)];
};

/** The history, with each call split into the parts that each happened at one moment. `aliases` names all aliases that can exist. */
export const splitParts = (history: readonly Made[], aliases: readonly string[]): readonly Part[] =>
  history.flatMap((made) => partsOf(made, aliases));
