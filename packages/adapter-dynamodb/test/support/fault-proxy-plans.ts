import type { Plan } from "./fault-proxy.ts";
import type { Fault } from "./fault-proxy-faults.ts";

/** These faults, one per request, then none. */
export const inTurn = (...faults: readonly (Fault | null)[]): Plan => {
  const left = [...faults];
  return () => left.shift() ?? null;
};

export const always =
  (fault: Fault): Plan =>
  () =>
    fault;

/** The plan applies to requests of this operation; all others pass. */
export const on =
  (operation: string, plan: Plan): Plan =>
  (requested) =>
    requested === operation ? plan(requested) : null;

/** Each request meets one of the faults with probability `chance`, drawn by mulberry32 from `seed`. */
export const atRandom = (seed: number, chance: number, faults: readonly Fault[]): Plan => {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => (random() < chance ? (faults[Math.floor(random() * faults.length)] ?? null) : null);
};
