import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleServer } from "../../scripts/build/bundle.ts";

/* Writes the release, with Postern's contenders as further programs in it, into the folder in its argument. */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const [folder = ""] = process.argv.slice(2);

const { files } = await bundleServer(ROOT, {
  postern: `${ROOT}bench/contenders/postern.ts`,
  "postern-mail": `${ROOT}bench/contenders/postern-mail.ts`,
});
for (const { path, content } of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
const sqlite = join(ROOT, "packages/adapter-sqlite/src");
cpSync(join(sqlite, "migrations"), join(folder, "migrations/sqlite"), { recursive: true });
cpSync(join(sqlite, "spool-migrations"), join(folder, "migrations/sqlite-spool"), { recursive: true });
cpSync(join(ROOT, "packages/server/package.json"), join(folder, "package.json"));
