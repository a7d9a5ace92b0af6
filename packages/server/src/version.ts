import { readFileSync } from "node:fs";
import * as z from "zod";

/** The version of this package. */
export const version = (): string => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
};
