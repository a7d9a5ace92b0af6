import { setImmediate } from "node:timers/promises";
import { NO_LIMITS } from "@postern/core";
import { countingStore } from "../counting-store.ts";
import { afterFailure } from "../faults.ts";
import { type Broken, flaw, flawOf } from "./broken.ts";

const THINGS = ["aliases", "recipients", "unverified recipients"];

const forEach = (name: (things: string) => string): readonly string[] => THINGS.map(name);

const atMost = (things: string) =>
  `an account never exceeds its limit of ${things}, whatever other accounts have`;
const nothingRemains = (things: string) => `${things} refused at the limit leave nothing behind`;
const noLimit = (things: string) =>
  `a limit of 0 ${things} means no limit, and a limit below the current number allows no more`;
const otherReasons = (things: string) => `${things} refused because of their address or id do not count`;
const makesRoom = (way: string, things: string) => `${way} one of the ${things} makes room for exactly one`;
const lastPlace = (things: string) =>
  `two creations race for the last place among ${things}: exactly one succeeds`;
const joinRace = (way: string, things: string) =>
  `a creation races with ${way} one of the ${things}: both take effect`;
const leaveRace = (way: string, otherWay: string, things: string) =>
  `${way} one of the ${things} races with ${otherWay} it: that makes room for exactly one`;
const crowd = (way: string, things: string) =>
  `many creations race with ${way} some of the ${things}: the account gets as many as its limit allows, and no more`;

const WAYS = [
  ["erasing", "aliases"],
  ["removing", "recipients"],
  ["verifying", "unverified recipients"],
  ["removing", "unverified recipients"],
] as const;

const forEachWay = (name: (way: string, things: string) => string) =>
  WAYS.map(([way, things]) => name(way, things));

const ANY_CHANGES = [
  "after any sequence of changes, an account can have exactly as many aliases as its limit",
  "after any sequence of changes, an account can have exactly as many recipients as its limits",
];
const LIFECYCLE = "after every step of a random sequence of operations, the store matches a plain model";
const DELETED_COUNT =
  "deleted aliases count until they are erased, and restoring one does not change the count";
const OTHER_CHANGES = "changes that do not affect the counts make no room";
const VERIFIED_COUNT = "a recipient that is created verified does not count as unverified";
const UNVERIFIED_AGAIN = "a recipient that is no longer verified counts as unverified again";
const THEIR_RECIPIENTS = "aliases refused because of their recipients do not count";

const counting = flawOf(countingStore);

export const brokenLimits: readonly Broken[] = [
  counting(
    "limits are ignored",
    [...[atMost, nothingRemains, noLimit, lastPlace].flatMap(forEach), ...ANY_CHANGES, LIFECYCLE],
    { isReached: () => false },
  ),
  counting(
    "an account can have one more than its limit",
    [...forEach(atMost), ...forEach(lastPlace), ...ANY_CHANGES],
    { isReached: (limit, count) => limit > 0 && count > limit },
  ),
  counting("an account can have one less than its limit", [...forEach(atMost), ...ANY_CHANGES], {
    isReached: (limit, count) => limit > 0 && count + 1 >= limit,
  }),
  counting("a limit of 0 allows nothing", [...forEach(noLimit), LIFECYCLE], {
    isReached: (limit, count) => count >= limit,
  }),
  counting("a limit below what exists does not apply", forEach(noLimit), {
    isReached: (limit, count) => limit > 0 && count === limit,
  }),
  counting("what other accounts have counts too", [...forEach(atMost), LIFECYCLE], {
    counter: () => "everything",
  }),
  counting("a creation beyond the limit counts", forEach(nothingRemains), { miscounts: "refused creation" }),
  counting("a creation that fails counts", [...forEach(otherReasons), THEIR_RECIPIENTS], {
    miscounts: "failed creation",
  }),
  flaw("an alias beyond the limit leaves its address behind", [nothingRemains("aliases")], ({ aliases }) => ({
    "aliases.create": afterFailure(({ code }, { email }) =>
      code === "too_many_aliases" ? aliases.retireAddress(email) : null,
    ),
  })),
  flaw(
    "recipients beyond the limit are refused but stored",
    [nothingRemains("recipients"), nothingRemains("unverified recipients")],
    ({ recipients }) => ({
      "recipients.create": afterFailure(({ code }, recipient) =>
        code.startsWith("too_many_") ? recipients.create(recipient, NO_LIMITS) : null,
      ),
    }),
  ),
  counting("deleted aliases do not count", [DELETED_COUNT], {
    ofAlias: ({ deletedAt }) => ({ aliases: deletedAt === null ? 1 : 0 }),
  }),
  counting("inactive aliases do not count", [OTHER_CHANGES], {
    ofAlias: ({ active }) => ({ aliases: active ? 1 : 0 }),
  }),
  counting("inactive recipients do not count as unverified", [OTHER_CHANGES], {
    ofRecipient: ({ verifiedAt, active }) => ({
      recipients: 1,
      unverified: verifiedAt === null && active ? 1 : 0,
    }),
  }),
  counting(
    "recipients that are verified when they are created do not count",
    [atMost("recipients"), VERIFIED_COUNT],
    { ofRecipient: ({ verifiedAt }) => (verifiedAt === null ? { recipients: 1, unverified: 1 } : {}) },
  ),
  counting(
    "every recipient counts as unverified until it is removed",
    [VERIFIED_COUNT, makesRoom("verifying", "unverified recipients")],
    { ofRecipient: () => ({ recipients: 1, unverified: 1 }) },
  ),
  counting("the limit of unverified recipients applies to verified ones", [VERIFIED_COUNT], {
    mustVerify: () => true,
  }),
  counting(
    "an alias still counts after it was erased",
    [
      makesRoom("erasing", "aliases"),
      joinRace("erasing", "aliases"),
      leaveRace("erasing", "erasing", "aliases"),
      DELETED_COUNT,
    ],
    { forgets: "erase" },
  ),
  counting(
    "saving a recipient never changes the count of unverified ones",
    [
      makesRoom("verifying", "unverified recipients"),
      joinRace("verifying", "unverified recipients"),
      UNVERIFIED_AGAIN,
    ],
    { forgets: "save" },
  ),
  counting(
    "a recipient still counts after it was removed",
    ["recipients", "unverified recipients"].flatMap((things) => [
      makesRoom("removing", things),
      joinRace("removing", things),
      leaveRace("removing", "removing", things),
    ]),
    { forgets: "remove" },
  ),
  counting(
    "a write that conflicts makes room",
    [
      ...forEachWay(makesRoom),
      ...forEachWay((way, things) => leaveRace(way, way, things)),
      leaveRace("verifying", "removing", "unverified recipients"),
      leaveRace("removing", "verifying", "unverified recipients"),
      OTHER_CHANGES,
    ],
    { miscounts: "conflict" },
  ),
  counting(
    "a counter is read a turn before it is written",
    [...forEach(lastPlace), ...forEachWay(joinRace), ...forEachWay(crowd)],
    { gap: () => setImmediate() },
  ),
];
