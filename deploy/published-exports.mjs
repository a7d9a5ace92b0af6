// Replaces the `exports` of every package with the published ones. `pnpm deploy` keeps those of the workspace, which point
// at TypeScript, and Node does not run TypeScript inside node_modules.
import { globSync, readFileSync, writeFileSync } from "node:fs";

for (const file of globSync("packages/*/package.json")) {
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  if (publishConfig === undefined) continue;
  writeFileSync(file, JSON.stringify({ ...manifest, exports: publishConfig.exports }, null, 2));
}
