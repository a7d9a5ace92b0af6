import { writeFileSync } from "node:fs";
import { openApiDocument } from "../packages/adapter-http/src/openapi/document.ts";

const file = new URL("../docs/openapi.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
