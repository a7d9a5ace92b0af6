import { readFileSync, writeFileSync } from "node:fs";
import { withReleased } from "./changelog.ts";

/*
 * Runs after `changeset version`, which gives all published packages the same version. The server gets this version too, and so do
 * its changelog and the command that installs it.
 */

const rewrite = (path: string, change: (text: string) => string): void => {
  const file = new URL(`../${path}`, import.meta.url);
  writeFileSync(file, change(readFileSync(file, "utf8")));
};

const VERSION = /^ {2}"version": "(.+)"/m;
const core = readFileSync(new URL("../packages/core/package.json", import.meta.url), "utf8");
const version = VERSION.exec(core)?.[1];
if (version === undefined) throw new Error("packages/core/package.json has no version");

for (const manifest of ["package.json", "packages/server/package.json"]) {
  rewrite(manifest, (text) => text.replace(VERSION, `  "version": "${version}"`));
}
rewrite("docs/operations.md", (text) => text.replace(/^VERSION=.*/m, `VERSION=${version}`));
rewrite("CHANGELOG.md", (text) => withReleased(text, version));
