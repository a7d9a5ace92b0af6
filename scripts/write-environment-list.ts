import { readFileSync, writeFileSync } from "node:fs";
import { withEnvironment } from "./environment-list.ts";

const file = new URL("../docs/operations.md", import.meta.url);
writeFileSync(file, withEnvironment(readFileSync(file, "utf8")));
