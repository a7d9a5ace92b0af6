import { err, ok } from "@postern/core";
import { ENV } from "../configuration/names.ts";
import type { Command } from "./command.ts";
import { explainCause } from "./explain-cause.ts";

export const replay: Command["run"] = async ({ sesQueue: url }) => {
  if (url === undefined) return err(`${ENV.sesQueue} is not set.`);
  const { replayOutcomes } = await import("@postern/adapter-ses/outcomes");
  return (await replayOutcomes({ url })).match(
    (moved) =>
      ok(
        moved === 0
          ? "The queue has no dead letters."
          : `Moved ${moved} dead ${moved === 1 ? "letter" : "letters"} back into the queue.`,
      ),
    (error) =>
      error.code === "no_dead_letters"
        ? err("The queue has no queue for dead letters: give it a redrive policy.")
        : err(`The queue could not be read or written (${explainCause(error)}): try again.`),
  );
};
