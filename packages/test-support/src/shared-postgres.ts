import { inject } from "vitest";
import * as z from "zod";
import { postgresAt, type SharedPostgres } from "./postgres.ts";

const location = z.object({ port: z.int() });

/** The PostgreSQL that all test files of a project share: each uses its own databases. */
export const sharedPostgres = async (): Promise<SharedPostgres> => {
  const response = await fetch(inject("postgres"));
  const found = location.safeParse(await response.json());
  if (!found.success) throw new Error("PostgreSQL did not start: see the beginning of the output");
  return postgresAt(found.data.port);
};
