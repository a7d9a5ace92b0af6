import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import { changeAll } from "./change-all.ts";
import type { Database } from "./database.ts";
import { doubtsAbout } from "./differences/compare.ts";
import { pagesOf } from "./differences/pages.ts";
import { correction, type Question } from "./differences/question.ts";
import { tooLate } from "./send-until-deadline.ts";
import { KeyRange } from "./table.ts";

const MAX_ATTEMPTS = 8;

/** Corrects what differs. Returns whether anything did. */
const settle = async (database: Database, question: Question): Promise<Result<boolean, Unavailable>> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const corrected = await correction(database, question)();
    if (corrected.isOk()) return ok(corrected.value);
    if (corrected.error.code === "unavailable") return err(corrected.error);
  }
  return err(tooLate("conflicts"));
};

/**
 * Corrects one of the indexes of an account's aliases while any number of servers of this version are running. Safe to interrupt and
 * repeat. Returns how many aliases lacked some items.
 */
export const completeItems = async (
  database: Database,
  account: AccountId,
  kind: "attachment" | "search",
): Promise<Result<number, Unavailable>> => {
  const isCompared = (each: string) => each === kind;
  let completed = 0;
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return err(page.error);
    const doubts = await doubtsAbout(database, page.value, isCompared);
    if (doubts.isErr()) return err(doubts.error);
    const settled = await changeAll(doubts.value.questions, (question) => settle(database, question));
    if (settled.isErr()) return err(settled.error);
    completed += settled.value;
  }
  const index = kind === "attachment" ? KeyRange.allAttachments : KeyRange.allSearch;
  for await (const page of pagesOf(database, index(account))) {
    if (page.isErr()) return err(page.error);
    const doubts = await doubtsAbout(database, page.value, isCompared);
    if (doubts.isErr()) return err(doubts.error);
    // One after another, since several can change the version of the same alias.
    for (const question of doubts.value.questions) {
      const settled = await settle(database, question);
      if (settled.isErr()) return err(settled.error);
    }
  }
  return ok(completed);
};
