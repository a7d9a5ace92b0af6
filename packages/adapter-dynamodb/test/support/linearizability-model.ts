import type { Ineligibility } from "@postern/core";
import type { Model } from "./linearizability.ts";

/** One alias of one account, and a few recipients by name, all verified. */
export type AliasState = {
  readonly version: number;
  readonly list: readonly string[];
  readonly recipients: Readonly<Record<string, "active" | "inactive" | "removed">>;
};

export type AliasCall =
  | { readonly call: "replace"; readonly list: readonly string[] }
  | { readonly call: "activate" | "deactivate" | "remove" | "look"; readonly recipient: string }
  /** Whether the recipient may be attached; only as a part of a refused replace (`splitRefusals`). */
  | { readonly call: "may attach"; readonly recipient: string }
  | { readonly call: "read" };

export type AliasAnswer =
  /** The alias, as `replace` left it or `read` found it. */
  | { readonly version: number; readonly list: readonly string[] }
  /** Every recipient listed that may not be attached, in the order listed. */
  | { readonly ineligible: readonly { readonly id: string; readonly reason: Ineligibility }[] }
  | { readonly active: boolean; readonly attached: number }
  /** Why the recipient may not be attached; null where it may. */
  | { readonly reason: Ineligibility | null }
  | "recipient_attached"
  | "recipient_not_found"
  | "removed";

type RecipientCall = Exclude<Extract<AliasCall, { recipient: string }>, { call: "may attach" }>;
type Step = { readonly state: AliasState; readonly output: AliasAnswer };

const ineligibility = (state: AliasState, id: string): Ineligibility | null => {
  const recipient = state.recipients[id] ?? "removed";
  if (recipient === "active") return null;
  return recipient === "inactive" ? "inactive" : "unknown";
};

const replace = (state: AliasState, list: readonly string[]): Step => {
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
  const attached = state.list.includes(recipient) ? 1 : 0;
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

/** What the use cases promise about one alias and its recipients, with nothing going on at once. */
export const aliasModel = (initial: AliasState): Model<AliasState, AliasCall, AliasAnswer> => ({
  initial,
  apply: (state, call) => {
    switch (call.call) {
      case "read":
        return { state, output: { version: state.version, list: state.list } };
      case "replace":
        return replace(state, call.list);
      case "may attach":
        return { state, output: { reason: ineligibility(state, call.recipient) } };
      default:
        return withRecipient(state, call);
    }
  },
});
