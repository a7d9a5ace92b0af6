import { z } from "zod";

/** How many items a page may hold: 1 to 100, 50 unless told. */
export const PageLimit = z.int().min(1, "must be at least 1").max(100, "must be at most 100").default(50);
