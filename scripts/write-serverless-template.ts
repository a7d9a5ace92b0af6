import { writeFileSync } from "node:fs";
import { serverlessTemplate, TEMPLATE_FILE } from "./serverless/template.ts";

writeFileSync(TEMPLATE_FILE, serverlessTemplate());
