import { readFileSync, writeFileSync } from "node:fs";
import { withResponses } from "./api-examples.ts";

const file = new URL("../docs/api.md", import.meta.url);
const { document } = await withResponses(readFileSync(file, "utf8"));
writeFileSync(file, document);
