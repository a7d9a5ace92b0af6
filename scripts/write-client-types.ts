import { writeFileSync } from "node:fs";
import { generated } from "../packages/client/test/support/generated.ts";

for (const [name, text] of Object.entries(await generated()))
  writeFileSync(new URL(`../packages/client/src/generated/${name}`, import.meta.url), text);
