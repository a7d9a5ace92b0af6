import { writeFileSync } from "node:fs";
import { ENVIRONMENT_FILE, environmentFile } from "./environment-file.ts";

writeFileSync(ENVIRONMENT_FILE, environmentFile());
