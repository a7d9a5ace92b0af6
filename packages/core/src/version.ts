import { z } from "zod";

/** The versions at which a write may still go ahead; any version when absent. */
export const ExpectedVersions = z.array(z.int().positive()).readonly().optional();
export type ExpectedVersions = z.output<typeof ExpectedVersions>;

export const expects = (versions: ExpectedVersions, current: { readonly version: number }): boolean =>
  versions === undefined || versions.includes(current.version);
