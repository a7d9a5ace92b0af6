import type { Ineligibility } from "@postern/core";
import type { Model } from "./checker.ts";

/** An alias, with the names of its recipients. All recipients are verified. */
export type AliasState = {
  readonly version: number;
  readonly list: readonly string[];
  readonly active: boolean;
  readonly deleted: boolean;
  /** How many events were counted. */
  readonly count: number;
};

type RecipientState = "active" | "inactive" | "removed";

/** The aliases and recipients of one account, by name. An alias that was never created is missing. */
export type World = {
  readonly aliases: Readonly<Record<string, AliasState | "erased">>;
  readonly recipients: Readonly<Record<string, RecipientState>>;
};

type OfAlias = { readonly alias: string };
/** The only version at which the alias may be changed; null means any. */
type Conditional = OfAlias & { readonly ifMatch: number | null };

/** An operation that a client can call. */
export type Operation =
  /** By id or by address. */
  | (OfAlias & { readonly call: "read" | "resolve" | "report" | "report by address" | "erase" })
  | (Conditional & { readonly call: "replace"; readonly list: readonly string[] })
  | (Conditional & { readonly call: "switch"; readonly active: boolean })
  | (Conditional & { readonly call: "delete" })
  /** Without a list, with the recipients it had. */
  | (Conditional & { readonly call: "restore"; readonly list: readonly string[] | null })
  | (OfAlias & { readonly call: "create"; readonly list: readonly string[] })
  | { readonly call: "activate" | "deactivate" | "remove" | "look"; readonly recipient: string }
  | { readonly call: "reassign"; readonly recipient: string; readonly to: string };

/** A part of an operation that is not guaranteed to happen at one moment: see `partsOf`. */
type Part =
  /** Whether the recipient can be attached. */
  | { readonly call: "may attach"; readonly recipient: string }
  | { readonly call: "status" | "taken"; readonly alias: string }
  /** The alias without its counter, and the counter. */
  | { readonly call: "settings" | "tally"; readonly alias: string }
  /** Whether the alias is at another version than this one. */
  | { readonly call: "differs"; readonly alias: string; readonly from: number }
  /** Replaces a recipient in one alias. */
  | { readonly call: "move"; readonly alias: string; readonly recipient: string; readonly to: string }
  | { readonly call: "count"; readonly recipient: string };

export type WorldCall = Exclude<Operation, { call: "reassign" }> | Part;

export type WorldOutput =
  /** The alias as an operation found it. */
  | AliasState
  /** The alias as an operation left it. */
  | Omit<AliasState, "count">
  /** Every listed recipient that cannot be attached, in the order listed. */
  | { readonly ineligible: readonly { readonly id: string; readonly reason: Ineligibility }[] }
  | { readonly count: number }
  | { readonly active: boolean; readonly attached: number }
  /** Why the recipient cannot be attached; null if it can. */
  | { readonly reason: Ineligibility | null }
  | { readonly attached: number }
  | "recorded"
  | "erased"
  | "removed"
  | "moved"
  | "not moved"
  | "live"
  | "deleted"
  | "different"
  | "same"
  | "free"
  | "alias_not_found"
  | "alias_deleted"
  | "address_taken"
  | "precondition_failed"
  | "recipient_attached"
  | "recipient_not_found";

type Step = { readonly state: World; readonly output: WorldOutput };

const aliasOf = (state: World, name: string): AliasState | null => {
  const alias = state.aliases[name];
  return alias === undefined || alias === "erased" ? null : alias;
};

const withAlias = (state: World, name: string, alias: AliasState | "erased"): World => ({
  ...state,
  aliases: { ...state.aliases, [name]: alias },
});

const ineligibility = (state: World, id: string): Ineligibility | null => {
  const recipient = state.recipients[id] ?? "removed";
  if (recipient === "active") return null;
  return recipient === "inactive" ? "inactive" : "unknown";
};

const ineligible = (state: World, list: readonly string[]) =>
  list.flatMap((id) => {
    const reason = ineligibility(state, id);
    return reason === null ? [] : [{ id, reason }];
  });

const attachedTo = (state: World, recipient: string): number =>
  Object.values(state.aliases).filter(
    (alias) => alias !== "erased" && !alias.deleted && alias.list.includes(recipient),
  ).length;

const leave = (state: World, name: string, { count: _, ...left }: AliasState, alias?: AliasState): Step => ({
  state: alias === undefined ? state : withAlias(state, name, alias),
  output: left,
});

/** The changes of an alias that depend on its state and its version. */
const change = (state: World, call: Extract<Operation, Conditional>): Step => {
  const { alias: name, ifMatch } = call;
  const alias = aliasOf(state, name);
  if (alias === null) return { state, output: "alias_not_found" };
  const restored = call.call === "restore";
  if (alias.deleted && (call.call === "replace" || call.call === "switch")) {
    return { state, output: "alias_deleted" };
  }
  const isListed = call.call === "replace" || call.call === "restore";
  const list = isListed ? (call.list ?? alias.list) : alias.list;
  // The recipients of a live alias are eligible, because they are attached.
  const found = isListed && (alias.deleted || call.list !== null) ? ineligible(state, list) : [];
  if (found.length > 0) return { state, output: { ineligible: found } };
  if (ifMatch !== null && ifMatch !== alias.version) return { state, output: "precondition_failed" };
  const active = call.call === "switch" ? call.active : alias.active;
  const deleted = call.call === "delete" || (alias.deleted && !restored);
  const same =
    active === alias.active &&
    deleted === alias.deleted &&
    list.length === alias.list.length &&
    list.every((id, i) => id === alias.list[i]);
  if (same) return leave(state, name, alias);
  const changed = { ...alias, version: alias.version + 1, list, active, deleted };
  return leave(state, name, changed, changed);
};

const create = (state: World, name: string, list: readonly string[]): Step => {
  const found = ineligible(state, list);
  if (found.length > 0) return { state, output: { ineligible: found } };
  // The address of an erased alias stays taken.
  if (state.aliases[name] !== undefined) return { state, output: "address_taken" };
  const created = { version: 1, list, active: true, deleted: false, count: 0 };
  return leave(state, name, created, created);
};

const move = (state: World, name: string, from: string, to: string): Step => {
  const alias = aliasOf(state, name);
  if (alias === null || alias.deleted || !alias.list.includes(from)) return { state, output: "not moved" };
  const reason = ineligibility(state, to);
  if (reason !== null) return { state, output: { reason } };
  const list = alias.list.includes(to)
    ? alias.list.filter((id) => id !== from)
    : alias.list.map((id) => (id === from ? to : id));
  const moved = { ...alias, version: alias.version + 1, list };
  return { state: withAlias(state, name, moved), output: "moved" };
};

const become = (state: World, id: string, to: RecipientState): World => ({
  ...state,
  recipients: { ...state.recipients, [id]: to },
});

const withRecipient = (
  state: World,
  call: "activate" | "deactivate" | "remove" | "look",
  recipient: string,
): Step => {
  const now = state.recipients[recipient] ?? "removed";
  const attached = attachedTo(state, recipient);
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

const READS: ReadonlySet<WorldCall["call"]> = new Set([
  ...(["read", "resolve", "look", "settings", "tally", "status", "taken", "differs"] as const),
  ...(["may attach", "count"] as const),
]);

/** What the use cases guarantee about the aliases and recipients of an account when calls do not overlap. */
export const worldModel = (initial: World): Model<World, WorldCall, WorldOutput> => ({
  initial,
  isRead: ({ call }) => READS.has(call),
  apply: (state, call) => {
    switch (call.call) {
      case "read":
        return { state, output: aliasOf(state, call.alias) ?? "alias_not_found" };
      case "report":
      case "report by address": {
        const alias = aliasOf(state, call.alias);
        if (alias === null) return { state, output: "alias_not_found" };
        const counted = { ...alias, count: alias.count + 1 };
        return { state: withAlias(state, call.alias, counted), output: "recorded" };
      }
      case "erase":
        return aliasOf(state, call.alias) === null
          ? { state, output: "alias_not_found" }
          : { state: withAlias(state, call.alias, "erased"), output: "erased" };
      case "replace":
      case "switch":
      case "delete":
      case "restore":
        return change(state, call);
      case "create":
        return create(state, call.alias, call.list);
      case "move":
        return move(state, call.alias, call.recipient, call.to);
      case "may attach":
        return { state, output: { reason: ineligibility(state, call.recipient) } };
      case "count":
        return { state, output: { attached: attachedTo(state, call.recipient) } };
      case "status": {
        const alias = aliasOf(state, call.alias);
        if (alias === null) return { state, output: "alias_not_found" };
        return { state, output: alias.deleted ? "deleted" : "live" };
      }
      case "resolve":
      case "settings":
      case "tally": {
        const alias = aliasOf(state, call.alias);
        if (alias === null) return { state, output: "alias_not_found" };
        const { count, ...settings } = alias;
        return { state, output: call.call === "tally" ? { count } : settings };
      }
      case "taken":
        return { state, output: state.aliases[call.alias] === undefined ? "free" : "address_taken" };
      case "differs":
        return { state, output: aliasOf(state, call.alias)?.version === call.from ? "same" : "different" };
      default:
        return withRecipient(state, call.call, call.recipient);
    }
  },
});
