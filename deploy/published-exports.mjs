// Makes the `exports` of every package those it is published with. `pnpm deploy` leaves them as they are in the
// workspace, at TypeScript, which Node does not run inside node_modules.
import { globSync, readFileSync, writeFileSync } from "node:fs";

for (const file of globSync("packages/*/package.json")) {
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...manifest, ...manifest.publishConfig }, null, 2));
}
