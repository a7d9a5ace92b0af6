import { type Change, durableSpool } from "../durable-spool.ts";
import { type BrokenSpool, MODEL } from "./broken-spool.ts";

const needed = (changes: readonly Change[]) =>
  changes.filter(({ call }) => !["receive", "take"].includes(call));

export const brokenByCrashes: readonly BrokenSpool[] = [
  {
    flaw: "the last change does not survive a crash",
    noticedBy: [MODEL],
    open: durableSpool((changes) => needed(changes).slice(0, -1)),
  },
  {
    flaw: "what was counted does not survive a crash",
    noticedBy: [MODEL],
    open: durableSpool((changes) => needed(changes).filter(({ call }) => call !== "counted")),
  },
  {
    flaw: "what was logged does not survive a crash",
    noticedBy: [MODEL],
    open: durableSpool((changes) => needed(changes).filter(({ call }) => call !== "logged")),
  },
  {
    flaw: "copies stay handed out after a crash",
    noticedBy: [MODEL],
    open: durableSpool((changes) => changes.filter(({ call }) => call !== "receive")),
  },
  {
    flaw: "bodies that were not kept survive a crash",
    noticedBy: [MODEL],
    open: durableSpool((changes) => changes.filter(({ call }) => call !== "take")),
  },
];
