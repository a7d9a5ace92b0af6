import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { newDirectory, removeDirectories } from "@postern/test-support/new-directory";
import type { TestProject } from "vitest/node";
import { block } from "../../scripts/document-blocks.ts";
import { checkout } from "./checkout.ts";
import { fromOutside } from "./from-outside.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The built tarball of the server, with its checksum beside it. */
    server: { readonly out: string; readonly version: string };
  }
}

/** A clean copy of the checkout, with its uncommitted changes. */
const cleanCopy = (target: string): void => {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: checkout,
    encoding: "utf8",
  });
  for (const file of listed.split("\0")) {
    const source = join(checkout, file);
    if (file !== "" && existsSync(source)) cpSync(source, join(target, file));
  }
};

/** Builds the server as docs/operations.md says, in a clean copy and with the machine's own Node. */
export default (project: TestProject) => {
  const copy = newDirectory();
  cleanCopy(copy);
  execFileSync("sh", ["-euc", block("docs/operations.md", "Building")], {
    cwd: copy,
    env: fromOutside,
    stdio: "pipe",
  });
  const out = join(copy, "out");
  const version = readdirSync(out)
    .map((file) => /^postern-(.+)\.tgz$/.exec(file)?.[1])
    .find((name) => name);
  if (version === undefined) throw new Error(`There is no tarball in ${out}`);
  project.provide("server", { out, version });
  return removeDirectories;
};
