import type { Schedule } from "./histories.ts";
import type { Operation } from "./model.ts";

const replace = (alias: string, list: readonly string[], ifMatch: number | null = null): Operation => ({
  call: "replace",
  alias,
  list,
  ifMatch,
});
const pause = (alias: string, ifMatch: number | null = null): Operation => ({
  call: "switch",
  alias,
  active: false,
  ifMatch,
});
const restore = (alias: string, list: readonly string[] | null = null): Operation => ({
  call: "restore",
  alias,
  list,
  ifMatch: null,
});
const create = (...list: readonly string[]): Operation => ({ call: "create", alias: "z", list });
const deleteAlias = (alias: string): Operation => ({ call: "delete", alias, ifMatch: null });
const erase = (alias: string): Operation => ({ call: "erase", alias });
const read = (alias: string): Operation => ({ call: "read", alias });
const resolve = (alias: string): Operation => ({ call: "resolve", alias });
const report = (alias: string): Operation => ({ call: "report", alias });
const look = (recipient: string): Operation => ({ call: "look", recipient });
const activate = (recipient: string): Operation => ({ call: "activate", recipient });
const deactivate = (recipient: string): Operation => ({ call: "deactivate", recipient });
const remove = (recipient: string): Operation => ({ call: "remove", recipient });
const reassign = (recipient: string, to: string): Operation => ({ call: "reassign", recipient, to });

/** Schedules in which operations that depend on each other coincide, which is rare in random schedules. */
export const EXAMPLES: readonly Schedule[] = [
  // Several creations with one address.
  [
    [create("A"), resolve("z")],
    [create("B"), resolve("z")],
    [create("C"), look("C")],
  ],
  // Updates of the same version.
  [
    [replace("x", ["B"], 1), read("x")],
    [pause("x", 1), look("B")],
    [replace("x", ["C"], 1), look("C")],
  ],
  // A recipient that is attached, deactivated and removed, one alias after the other.
  [
    [replace("x", ["C"]), look("C")],
    [deactivate("C"), look("C")],
    [read("x"), look("C")],
  ],
  [
    [restore("y"), look("B")],
    [deactivate("B"), read("y")],
    [look("B"), remove("B")],
  ],
  [
    [restore("y"), read("y")],
    [remove("B"), look("B")],
    [restore("y"), look("B")],
  ],
  [
    [restore("y", ["B", "C"]), deleteAlias("y"), restore("y", ["C", "B"])],
    [deactivate("B"), activate("B"), deactivate("B"), look("B")],
    [deactivate("C"), activate("C"), deactivate("C"), look("C")],
  ],
  [
    [create("C"), resolve("z")],
    [deactivate("C"), look("C")],
    [look("C"), resolve("z")],
  ],
  [
    [create("C"), resolve("z")],
    [remove("C"), look("C")],
    [replace("x", ["C"]), look("C")],
  ],
  // One recipient that several aliases get and lose.
  [
    [replace("x", ["B"]), look("B"), replace("x", ["C"])],
    [restore("y", ["B"]), look("B")],
    [create("B"), look("B")],
  ],
  [
    [reassign("A", "C"), look("C")],
    [restore("y"), look("A")],
    [deactivate("C"), look("C")],
  ],
  // An alias that disappears while it is changed and read.
  [
    [erase("x"), look("A")],
    [replace("x", ["B"]), look("B")],
    [look("A"), read("x"), look("A")],
  ],
  [
    [erase("x"), erase("y")],
    [pause("x"), read("x")],
    [read("x"), look("A"), read("x"), look("A")],
  ],
  [[erase("x")], [erase("x")], [erase("x"), look("A")]],
  [
    [erase("x")],
    [read("x"), look("A"), read("x"), look("A"), read("x"), look("A")],
    [resolve("x"), look("A"), read("x"), look("A"), read("x"), look("A")],
  ],
  // Reads while an alias changes.
  [
    [replace("x", ["B"]), replace("x", ["C"]), replace("x", ["A", "B"])],
    [read("x"), look("B"), resolve("x"), look("C"), read("x"), look("A")],
    [resolve("x"), read("x"), report("x"), resolve("x"), read("x")],
  ],
];
