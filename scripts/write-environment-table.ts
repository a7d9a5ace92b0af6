import { readFileSync, writeFileSync } from "node:fs";
import { withEnvironmentTable } from "./environment-table.ts";

const file = new URL("../docs/operations.md", import.meta.url);
writeFileSync(file, withEnvironmentTable(readFileSync(file, "utf8")));
