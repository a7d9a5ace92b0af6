import fc from "fast-check";

/**
 * How often a property is checked: `most` times, unless `numRuns` is configured globally and is less. So a store on which a call takes long
 * can be checked by `fc.configureGlobal({ numRuns: 10 })`.
 */
export const runs = (most: number): { readonly numRuns: number } => ({
  numRuns: Math.min(most, fc.readConfigureGlobal().numRuns ?? most),
});
