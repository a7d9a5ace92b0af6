import { isDeepStrictEqual } from "node:util";
import type { Call } from "./linearizability-checker.ts";
import type { AliasCall, AliasOutput } from "./linearizability-model.ts";

/**
 * The history with each refused replace split into one check for each listed recipient.
 *
 * A refusal guarantees less than other results: each recipient was in the reported state at some moment of the call,
 * but not necessarily all at the same moment, because DynamoDB reads a batch item by item. (A successful replace
 * happens at one moment, that of its transaction.) A refusal that does not name recipients in the order listed is left
 * unchanged, for the model to reject.
 */
export const splitRefusals = (
  history: readonly Call<AliasCall, AliasOutput>[],
): Call<AliasCall, AliasOutput>[] =>
  history.flatMap((each) => {
    const { input, result } = each;
    if (input.call !== "replace" || result === null) return [each];
    const { output, returned } = result;
    if (typeof output === "string" || !("ineligible" in output)) return [each];
    const reasons = new Map(output.ineligible.map(({ id, reason }) => [id, reason]));
    const inOrder = input.list.filter((id) => reasons.has(id));
    if (inOrder.length === 0 || !isDeepStrictEqual(inOrder, [...reasons.keys()])) return [each];
    return input.list.map((recipient): Call<AliasCall, AliasOutput> => {
      const found = { reason: reasons.get(recipient) ?? null };
      return { ...each, input: { call: "may attach", recipient }, result: { output: found, returned } };
    });
  });
