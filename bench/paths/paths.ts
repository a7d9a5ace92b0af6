import type { Path } from "../support/path.ts";
import { commandLine } from "./command-line.ts";
import { halfLoad } from "./half-load.ts";
import { lambda } from "./lambda.ts";
import { list } from "./list.ts";
import { mail } from "./mail.ts";
import { mailBesideApi } from "./mail-beside-api.ts";
import { mailMemory } from "./mail-memory.ts";
import { memory } from "./memory.ts";
import { newTokens } from "./new-tokens.ts";
import { observed } from "./observed.ts";
import { operations } from "./operations.ts";
import { putOnDynamodb } from "./put-on-dynamodb.ts";
import { putOnMemory } from "./put-on-memory.ts";
import { putOnSqlite } from "./put-on-sqlite.ts";
import { search } from "./search.ts";
import { start } from "./start.ts";
import { web } from "./web.ts";

/** Everything that `pnpm bench` measures, in this order. */
export const paths: readonly Path[] = [
  putOnMemory,
  newTokens,
  observed,
  halfLoad,
  list,
  search,
  operations,
  putOnSqlite,
  putOnDynamodb,
  mail,
  mailMemory,
  mailBesideApi,
  memory,
  start,
  lambda,
  commandLine,
  web,
];
