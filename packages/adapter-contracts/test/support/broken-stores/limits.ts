import { setImmediate } from "node:timers/promises";
import { NO_LIMITS } from "@postern/core";
import { countingStore } from "../counting-store.ts";
import { aliases, type Broken, codeOf, recipients } from "./broken.ts";

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

const ANY_CHANGES = [
  "after any sequence of changes, an account can have exactly as many aliases as its limit",
  "after any sequence of changes, an account can have exactly as many recipients as its limits",
];
const LIFECYCLE = "after every step of a random sequence of operations, the store matches a plain model";
const DELETED_COUNT =
  "deleted aliases count until they are erased, and restoring one does not change the count";
const OTHER_CHANGES = "changes that do not affect the counts make no room";
const VERIFIED_COUNT = "a recipient that is created verified does not count as unverified";

export const brokenLimits: readonly Broken[] = [
  {
    flaw: "limits are ignored",
    noticedBy: [
      ...forEach(atMost),
      ...forEach(nothingRemains),
      ...forEach(noLimit),
      ...forEach(lastPlace),
      ...ANY_CHANGES,
      LIFECYCLE,
    ],
    open: () => countingStore({ isReached: () => false }),
  },
  {
    flaw: "an account can have one more than its limit",
    noticedBy: [...forEach(atMost), ...forEach(lastPlace), ...ANY_CHANGES],
    open: () => countingStore({ isReached: (limit, count) => limit > 0 && count > limit }),
  },
  {
    flaw: "an account can have one less than its limit",
    noticedBy: [...forEach(atMost), ...ANY_CHANGES],
    open: () => countingStore({ isReached: (limit, count) => limit > 0 && count + 1 >= limit }),
  },
  {
    flaw: "a limit of 0 allows nothing",
    noticedBy: [...forEach(noLimit), LIFECYCLE],
    open: () => countingStore({ isReached: (limit, count) => count >= limit }),
  },
  {
    flaw: "a limit below what exists does not apply",
    noticedBy: forEach(noLimit),
    open: () => countingStore({ isReached: (limit, count) => limit > 0 && count === limit }),
  },
  {
    flaw: "what other accounts have counts too",
    noticedBy: [...forEach(atMost), LIFECYCLE],
    open: () => countingStore({ counter: () => "everything" }),
  },
  {
    flaw: "a creation beyond the limit counts",
    noticedBy: forEach(nothingRemains),
    open: () => countingStore({ miscounts: "refused creation" }),
  },
  {
    flaw: "a creation that fails counts",
    noticedBy: [...forEach(otherReasons), "aliases refused because of their recipients do not count"],
    open: () => countingStore({ miscounts: "failed creation" }),
  },
  {
    flaw: "an alias beyond the limit leaves its address behind",
    noticedBy: [nothingRemains("aliases")],
    open: aliases((real) => ({
      create: async (alias, limits) => {
        const created = await real.create(alias, limits);
        if (codeOf(created) === "too_many_aliases") await real.retireAddress(alias.email);
        return created;
      },
    })),
  },
  {
    flaw: "recipients beyond the limit are refused but stored",
    noticedBy: [nothingRemains("recipients"), nothingRemains("unverified recipients")],
    open: recipients((real) => ({
      create: async (recipient, limits) => {
        const created = await real.create(recipient, limits);
        if (codeOf(created)?.startsWith("too_many_")) await real.create(recipient, NO_LIMITS);
        return created;
      },
    })),
  },
  {
    flaw: "deleted aliases do not count",
    noticedBy: [DELETED_COUNT],
    open: () => countingStore({ ofAlias: ({ deletedAt }) => ({ aliases: deletedAt === null ? 1 : 0 }) }),
  },
  {
    flaw: "inactive aliases do not count",
    noticedBy: [OTHER_CHANGES],
    open: () => countingStore({ ofAlias: ({ active }) => ({ aliases: active ? 1 : 0 }) }),
  },
  {
    flaw: "inactive recipients do not count as unverified",
    noticedBy: [OTHER_CHANGES],
    open: () =>
      countingStore({
        ofRecipient: ({ verifiedAt, active }) => ({
          recipients: 1,
          unverified: verifiedAt === null && active ? 1 : 0,
        }),
      }),
  },
  {
    flaw: "recipients that are verified when they are created do not count",
    noticedBy: [atMost("recipients"), VERIFIED_COUNT],
    open: () =>
      countingStore({
        ofRecipient: ({ verifiedAt }) => (verifiedAt === null ? { recipients: 1, unverified: 1 } : {}),
      }),
  },
  {
    flaw: "every recipient counts as unverified until it is removed",
    noticedBy: [VERIFIED_COUNT, makesRoom("verifying", "unverified recipients")],
    open: () => countingStore({ ofRecipient: () => ({ recipients: 1, unverified: 1 }) }),
  },
  {
    flaw: "the limit of unverified recipients applies to verified ones",
    noticedBy: [VERIFIED_COUNT],
    open: () => countingStore({ mustVerify: () => true }),
  },
  {
    flaw: "an alias still counts after it was erased",
    noticedBy: [
      makesRoom("erasing", "aliases"),
      joinRace("erasing", "aliases"),
      leaveRace("erasing", "erasing", "aliases"),
      DELETED_COUNT,
    ],
    open: () => countingStore({ forgets: "erase" }),
  },
  {
    flaw: "saving a recipient never changes the count of unverified ones",
    noticedBy: [
      makesRoom("verifying", "unverified recipients"),
      joinRace("verifying", "unverified recipients"),
      "a recipient that is no longer verified counts as unverified again",
    ],
    open: () => countingStore({ forgets: "save" }),
  },
  {
    flaw: "a recipient still counts after it was removed",
    noticedBy: ["recipients", "unverified recipients"].flatMap((things) => [
      makesRoom("removing", things),
      joinRace("removing", things),
      leaveRace("removing", "removing", things),
    ]),
    open: () => countingStore({ forgets: "remove" }),
  },
  {
    flaw: "a write that conflicts makes room",
    noticedBy: [
      ...WAYS.map(([way, things]) => makesRoom(way, things)),
      ...WAYS.map(([way, things]) => leaveRace(way, way, things)),
      leaveRace("verifying", "removing", "unverified recipients"),
      leaveRace("removing", "verifying", "unverified recipients"),
      OTHER_CHANGES,
    ],
    open: () => countingStore({ miscounts: "conflict" }),
  },
  {
    flaw: "a counter is read a turn before it is written",
    noticedBy: [
      ...forEach(lastPlace),
      ...WAYS.map(([way, things]) => joinRace(way, things)),
      ...WAYS.map(([way, things]) => crowd(way, things)),
    ],
    open: () => countingStore({ gap: () => setImmediate() }),
  },
];
