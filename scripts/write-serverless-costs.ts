import { readFileSync, writeFileSync } from "node:fs";
import { COSTS_DOCUMENT } from "./mail-costs.ts";
import { SERVERLESS_DOCUMENT, withServerlessCosts } from "./serverless-costs.ts";

const read = (document: URL): string => readFileSync(document, "utf8");
writeFileSync(SERVERLESS_DOCUMENT, withServerlessCosts(read(SERVERLESS_DOCUMENT), read(COSTS_DOCUMENT)));
