import { createHash } from "node:crypto";
import { type Clock, type Concealment, err, ok, type PortResult, type Postern } from "@postern/core";
import type { ReportResult } from "@postern/mail";
import { taggedAlias } from "./alias-tag.ts";
import type { SesOutcome } from "./ses-event.ts";

/** Without a mail plane, what is needed to count for the alias that a tag names. */
export type CountForAliasPorts = {
  readonly clock: Pick<Clock, "now">;
  readonly secrets: Pick<Concealment, "reveal">;
  /** That of `postern`. Without it, tags count for nothing. */
  readonly recordMailOutcome?:
    | ((...command: Parameters<Postern["recordMailOutcome"]>) => ReturnType<Postern["recordMailOutcome"]>)
    | undefined;
};

/** The same for every report of the same outcome, and too short to be refused. */
const eventId = (...parts: readonly string[]): string =>
  `ses:${createHash("sha256").update(JSON.stringify(parts)).digest("base64url")}`;

/** Counts an outcome for the alias that the tag of the message names, once for each recipient, however often it is reported in 35 days. */
export const countForAlias =
  ({ clock, secrets, recordMailOutcome }: CountForAliasPorts) =>
  async ({
    outcome,
    messageId,
    recipients,
    tag,
  }: SesOutcome): PortResult<Extract<ReportResult, SesOutcome["outcome"] | "duplicate" | "unknown_copy">> => {
    const alias = tag === null ? null : taggedAlias(tag, secrets);
    if (alias === null || recordMailOutcome === undefined) return ok("unknown_copy");
    // There is nothing to count.
    if (outcome === "delayed") return ok(outcome);
    let result: "recorded" | "duplicate" | null = null;
    for (const recipient of recipients) {
      const id = eventId(messageId, recipient.toLowerCase(), outcome);
      const recorded = await recordMailOutcome({ alias, eventId: id, outcome, at: clock.now() });
      if (recorded.isOk()) result = result === "recorded" ? result : recorded.value;
      else if (recorded.error.code === "unavailable") return err(recorded.error);
    }
    if (result === null) return ok("unknown_copy");
    return ok(result === "recorded" ? outcome : result);
  };
