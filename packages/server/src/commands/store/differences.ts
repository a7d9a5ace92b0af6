import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference, FindDifferences } from "@postern/core/store";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printLines } from "../print-lines.ts";
import { progress } from "../progress.ts";
import { withStore } from "../with-store.ts";
import { jsonOf, lineOf, type Outcome } from "./report.ts";

/** Decides what to do about a difference, and does it. */
type Treat = (difference: Difference) => Promise<Result<Outcome, Unavailable>>;

const leave: Treat = async () => ok("found");

const repairOrLeave =
  (detach: boolean): Treat =>
  async ({ remedy }) => {
    const work = remedy.by === "repair" ? remedy.repair : detach ? remedy.detach : null;
    if (work === null) return ok("left");
    return (await work()).map((done) => (done === "busy" ? "left" : done));
  };

export const check: Command["run"] = async (configuration, args, flags) => {
  if (args.length > 0 || flags.has("detach")) return null;
  return withStore(configuration, "alongside", ({ differences }) =>
    report(differences, leave, flags.has("json"), (count) => {
      const found = count("found");
      return found === 0 ? ok("Nothing differs.") : err(`Differences: ${found}.`);
    }),
  );
};

export const repair: Command["run"] = async (configuration, args, flags) => {
  if (args.length > 0) return null;
  return withStore(configuration, "alongside", ({ differences }) =>
    report(differences, repairOrLeave(flags.has("detach")), flags.has("json"), (count) => {
      const [repaired, left] = [count("repaired"), count("left")];
      if (left > 0) return err(`Repaired: ${repaired}. Left for you to decide: ${left}.`);
      return ok(repaired === 0 ? "Nothing differs." : `Repaired: ${repaired}. Nothing is left.`);
    }),
  );
};

/** Treats and prints one difference after the other. */
const report = async (
  differences: FindDifferences,
  treat: Treat,
  json: boolean,
  conclude: (count: (outcome: Outcome) => number) => Result<string, string>,
): Promise<Result<string, string>> => {
  const accounts = progress("accounts");
  const found = differences(accounts.one);
  const counts = new Map<Outcome, number>();
  let failure: Unavailable | null = null;
  async function* lines() {
    for await (const difference of found) {
      if (difference.isErr()) {
        failure = difference.error;
        return;
      }
      const outcome = await treat(difference.value);
      if (outcome.isErr()) {
        failure = outcome.error;
        return;
      }
      counts.set(outcome.value, (counts.get(outcome.value) ?? 0) + 1);
      yield (json ? jsonOf : lineOf)(difference.value, outcome.value);
    }
  }
  const end = () =>
    failure === null
      ? conclude((outcome) => counts.get(outcome) ?? 0)
      : err(storeFailed(failure, "not everything was checked. Run the command again"));
  const printed = await printLines(lines());
  accounts.end();
  return printed.isErr() ? err(`${printed.error}: the list is incomplete.`) : end();
};
