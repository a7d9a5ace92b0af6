import { isDeepStrictEqual } from "node:util";
import type { Call } from "./linearizability.ts";
import type { AliasAnswer, AliasCall } from "./linearizability-model.ts";

/**
 * The history with each refused replace as one look at each recipient listed.
 *
 * What is promised of a refusal is less than of all else: each recipient was at some moment of the call as the refusal says,
 * but not all at the same one, because DynamoDB reads a batch item by item. (A replace that is made stands on one
 * moment, that of its transaction.) A refusal that does not name recipients in the order listed is left as it is,
 * for the model to reject.
 */
export const splitRefusals = (
  history: readonly Call<AliasCall, AliasAnswer>[],
): Call<AliasCall, AliasAnswer>[] =>
  history.flatMap((each) => {
    const { input, answer } = each;
    if (input.call !== "replace" || answer === null) return [each];
    const { output, returned } = answer;
    if (typeof output === "string" || !("ineligible" in output)) return [each];
    const reasons = new Map(output.ineligible.map(({ id, reason }) => [id, reason]));
    const inOrder = input.list.filter((id) => reasons.has(id));
    if (inOrder.length === 0 || !isDeepStrictEqual(inOrder, [...reasons.keys()])) return [each];
    return input.list.map((recipient): Call<AliasCall, AliasAnswer> => {
      const found = { reason: reasons.get(recipient) ?? null };
      return { ...each, input: { call: "may attach", recipient }, answer: { output: found, returned } };
    });
  });
