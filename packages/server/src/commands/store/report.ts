import type { Difference } from "@postern/core/store";
import { printable } from "../printable.ts";

/**
 * What became of a difference: `found` by a check that changes nothing; `repaired`; `gone` before it was repaired; or `left`,
 * because only the operator can decide, or because others changed it during each attempt.
 */
export type Outcome = "found" | "repaired" | "gone" | "left";

/** Longer than any text that does not quote stored data. */
const MAX_LENGTH = 1_000;

export const lineOf = (
  { kind, account, alias, recipient, stored, right, remedy }: Difference,
  outcome: Outcome,
): string => {
  const where = Object.entries({ account, alias, recipient })
    .flatMap(([name, id]) => (id === null ? [] : [`${name} ${printable(id)}`]))
    .join(", ");
  const what = `${outcome.padEnd("repaired".length)}  ${kind.padEnd("destination".length)}  ${where === "" ? "" : `${where}: `}`;
  const action = actionFor(remedy, outcome);
  return `${what}${printable(stored, MAX_LENGTH)}; right: ${right}${action === null ? "" : `. To do: ${action}.`}`;
};

export const jsonOf = (
  { kind, account, alias, recipient, stored, right, remedy }: Difference,
  outcome: Outcome,
): string =>
  JSON.stringify({
    outcome,
    kind,
    account,
    alias,
    recipient,
    stored,
    right,
    action: actionFor(remedy, outcome),
  });

/** What the operator has to do; null if the difference is repaired, or `store repair` repairs it. */
const actionFor = (remedy: Difference["remedy"], outcome: Outcome): string | null => {
  if (remedy.by === "operator") return outcome === "found" || outcome === "left" ? remedy.action : null;
  return outcome === "left" ? "run the command again: it was changed concurrently during each attempt" : null;
};
