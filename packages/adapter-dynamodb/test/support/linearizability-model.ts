import type { Ineligibility } from "@postern/core";
import type { Model } from "./linearizability-checker.ts";

/** The state of one alias and of a few recipients, by name; all of them are verified. */
export type AliasState = {
  readonly version: number;
  readonly list: readonly string[];
  /** How many events were counted. */
  readonly count: number;
  readonly erased: boolean;
  readonly recipients: Readonly<Record<string, "active" | "inactive" | "removed">>;
};

export type AliasCall =
  | { readonly call: "replace"; readonly list: readonly string[] }
  | { readonly call: "activate" | "deactivate" | "remove" | "look"; readonly recipient: string }
  /** Checks whether the recipient can be attached. Appears only as part of a refused replace (`splitRefusals`). */
  | { readonly call: "may attach"; readonly recipient: string }
  /** By id or by address. */
  | { readonly call: "read" | "resolve" | "report" | "report by address" | "erase" };

export type AliasOutput =
  /** The alias, as `replace` left it. */
  | { readonly version: number; readonly list: readonly string[] }
  /** The alias, as `read` or `resolve` found it. */
  | { readonly version: number; readonly list: readonly string[]; readonly count: number }
  /** Every listed recipient that cannot be attached, in the order listed. */
  | { readonly ineligible: readonly { readonly id: string; readonly reason: Ineligibility }[] }
  | { readonly active: boolean; readonly attached: number }
  /** Why the recipient cannot be attached; null if it can. */
  | { readonly reason: Ineligibility | null }
  | "recorded"
  | "erased"
  | "alias_not_found"
  | "recipient_attached"
  | "recipient_not_found"
  | "removed";

type RecipientCall = Exclude<Extract<AliasCall, { recipient: string }>, { call: "may attach" }>;
type Step = { readonly state: AliasState; readonly output: AliasOutput };

const ineligibility = (state: AliasState, id: string): Ineligibility | null => {
  const recipient = state.recipients[id] ?? "removed";
  if (recipient === "active") return null;
  return recipient === "inactive" ? "inactive" : "unknown";
};

const replace = (state: AliasState, list: readonly string[]): Step => {
  if (state.erased) return { state, output: "alias_not_found" };
  const ineligible = list.flatMap((id) => {
    const reason = ineligibility(state, id);
    return reason === null ? [] : [{ id, reason }];
  });
  if (ineligible.length > 0) return { state, output: { ineligible } };
  const same = list.length === state.list.length && list.every((id, i) => id === state.list[i]);
  const version = same ? state.version : state.version + 1;
  return { state: { ...state, version, list }, output: { version, list } };
};

const become = (state: AliasState, id: string, to: "active" | "inactive" | "removed"): AliasState => ({
  ...state,
  recipients: { ...state.recipients, [id]: to },
});

const withRecipient = (state: AliasState, { call, recipient }: RecipientCall): Step => {
  const now = state.recipients[recipient] ?? "removed";
  const attached = !state.erased && state.list.includes(recipient) ? 1 : 0;
  if (now === "removed") return { state, output: "recipient_not_found" };
  switch (call) {
    case "look":
      return { state, output: { active: now === "active", attached } };
    case "activate":
      return { state: become(state, recipient, "active"), output: { active: true, attached } };
    case "deactivate":
      if (attached > 0) return { state, output: "recipient_attached" };
      return { state: become(state, recipient, "inactive"), output: { active: false, attached } };
    case "remove":
      if (attached > 0) return { state, output: "recipient_attached" };
      return { state: become(state, recipient, "removed"), output: "removed" };
  }
};

/** What the use cases guarantee about one alias and its recipients when calls do not overlap. */
export const aliasModel = (initial: AliasState): Model<AliasState, AliasCall, AliasOutput> => ({
  initial,
  apply: (state, call) => {
    const { version, list, count, erased } = state;
    switch (call.call) {
      case "read":
      case "resolve":
        return { state, output: erased ? "alias_not_found" : { version, list, count } };
      case "report":
      case "report by address":
        return erased
          ? { state, output: "alias_not_found" }
          : { state: { ...state, count: count + 1 }, output: "recorded" };
      case "erase":
        return erased
          ? { state, output: "alias_not_found" }
          : { state: { ...state, erased: true }, output: "erased" };
      case "replace":
        return replace(state, call.list);
      case "may attach":
        return { state, output: { reason: ineligibility(state, call.recipient) } };
      default:
        return withRecipient(state, call);
    }
  },
});
