import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { run } from "./run.ts";

const Manifest = z.object({
  engines: z.object({ node: z.string() }),
  repository: z.object({ directory: z.string() }),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});

const Source = z.object({ name: z.string(), private: z.boolean().default(false) });

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

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

const pack = async (name: string, source: string, target: string): Promise<Packed> => {
  const folder = join(target, name.replace("/", "-"));
  const tarball = `${folder}.tgz`;
  await run("pnpm", ["pack", "--out", tarball], source);
  mkdirSync(folder);
  await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components", "1"], target);
  return { name, tarball, folder, manifest: Manifest.parse(readJson(join(folder, "package.json"))) };
};

/** Packs every package that is not private, into a folder outside the workspace. */
export default async (project: TestProject) => {
  const target = mkdtempSync(join(tmpdir(), "postern-packed-"));
  const root = join(import.meta.dirname, "..");
  const packed: Packed[] = [];
  for (const file of globSync("packages/*/package.json", { cwd: root }).sort()) {
    const source = Source.parse(readJson(join(root, file)));
    // One at a time: each `prepack` rebuilds the packages that it depends on.
    if (!source.private) packed.push(await pack(source.name, join(root, dirname(file)), target));
  }
  project.provide("packed", packed);
  return () => rmSync(target, { recursive: true });
};
