import { err, ok } from "@postern/core";
import type { Outbox } from "@postern/core/store";
import { type Database, deleteIf, query, readOne, updateIf } from "./database.ts";
import { decode } from "./item.ts";
import { deadline, pause, tooLate } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";
import { endDue, endIdle, forget, parseTurnsItem } from "./turns-item.ts";

/** Others kept announcing something, or ending turns. */
const CONTENDED = tooLate("conflicts");

/** Starts over if something is announced between the search for announcements and the end, or if the turn was ended in the meantime. */
export const endTurn =
  (database: Database): Outbox["end"] =>
  async (turn, next, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    for (let attempt = 1; ; attempt += 1) {
      const item = await readOne(database, Key.turns(turn), signal);
      if (item.isErr()) return err(item.error);
      if (item.value === undefined) return ok();
      const turns = decode(database, parseTurnsItem, item.value);
      if (turns.isErr()) return err(turns.error);
      if (turns.value.until !== turn.until) return ok();
      const announced = await query(database, KeyRange.announcements(turn), { limit: 1 }, signal);
      if (announced.isErr()) return err(announced.error);
      const isDue = announced.value.items.length > 0;
      const ended =
        !isDue && next.failures === 0
          ? await deleteIf(database, forget(turns.value), signal)
          : await updateIf(database, isDue ? endDue(turns.value, next) : endIdle(turns.value, next), signal);
      if (ended.isErr()) return err(ended.error);
      if (ended.value) return ok();
      if (!(await pause(attempt + 1, signal))) return err(CONTENDED);
    }
  };
