import * as z from "zod";

/** The versions at which something may be changed; any if there is no list. */
export const expectedVersions = z.array(z.int().min(1)).optional();
