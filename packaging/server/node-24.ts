import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { newDirectory, removeDirectories } from "@postern/test-support/new-directory";
import type { TestProject } from "vitest/node";
import { IMPATIENT_NPM } from "../impatient-npm.ts";
import { fromOutside } from "./from-outside.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the oldest Node that the server runs on. */
    oldestNode: string;
  }
}

/** Installs the Node that the documents require, in its first version. */
export default (project: TestProject) => {
  const folder = newDirectory();
  const install = ["install", "--prefix", folder, "--no-audit", "--no-fund", "node@24.0.0"];
  execFileSync("npm", install, { env: { ...fromOutside, ...IMPATIENT_NPM }, stdio: "pipe" });
  project.provide("oldestNode", join(folder, "node_modules/node/bin/node"));
  return removeDirectories;
};
