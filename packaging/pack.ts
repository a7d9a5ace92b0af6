import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory, removeDirectories } from "@postern/test-support/new-directory";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { packPackages } from "../scripts/packages.ts";
import { run } from "./run.ts";

const Manifest = z.object({
  engines: z.object({ node: z.string() }),
  repository: z.object({ directory: z.string() }),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});

const readManifest = (file: string) => Manifest.parse(JSON.parse(readFileSync(file, "utf8")));

/** A package as it would be published: the tarball, and a folder with what is in it. */
export type Packed = {
  readonly name: string;
  readonly tarball: string;
  readonly folder: string;
  readonly manifest: z.infer<typeof Manifest>;
};

declare module "vitest" {
  interface ProvidedContext {
    packed: readonly Packed[];
  }
}

/** Packs every package that is not private, into a folder outside the workspace. */
export default async (project: TestProject) => {
  const target = newDirectory();
  const packed: Packed[] = [];
  for (const { name, path } of packPackages(target)) {
    const folder = path.replace(/\.tgz$/, "");
    mkdirSync(folder);
    await run("tar", ["-xzf", path, "-C", folder, "--strip-components", "1"], target);
    packed.push({ name, tarball: path, folder, manifest: readManifest(join(folder, "package.json")) });
  }
  project.provide("packed", packed);
  return removeDirectories;
};
