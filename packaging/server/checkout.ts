import { join } from "node:path";

/** The folder of the checkout. */
export const checkout = join(import.meta.dirname, "../..");
