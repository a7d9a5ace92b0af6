import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8, in the whole process, from allocating the objects of a line of code among the old ones because its first objects lived long.
 * Those of a server do: its heap is still small when the first requests arrive, so most collections happen while their objects are in
 * use. From then on, every request would stay in memory until the next full collection: see "Pretenuring" in `docs/benchmarks.md`.
 */
export const switchOffPretenuring = (): void => setFlagsFromString("--no-allocation-site-pretenuring");
