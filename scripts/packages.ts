import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const Source = z.object({ name: z.string(), version: z.string(), private: z.boolean().default(false) });

export type Tarball = { readonly name: string; readonly path: string };

/** Packs every package that is not private into the folder, as pnpm would publish it. Needs pnpm on the `PATH`. */
export const packPackages = (folder: string): readonly Tarball[] => {
  mkdirSync(folder, { recursive: true });
  const tarballs: Tarball[] = [];
  for (const manifest of globSync("packages/*/package.json", { cwd: ROOT }).sort()) {
    const source = Source.parse(JSON.parse(readFileSync(join(ROOT, manifest), "utf8")));
    if (source.private) continue;
    const path = join(folder, `${source.name.slice(1).replace("/", "-")}-${source.version}.tgz`);
    // One at a time: each `prepack` rebuilds the packages that it depends on.
    execFileSync("pnpm", ["pack", "--silent", "--out", path], {
      cwd: join(ROOT, dirname(manifest)),
      stdio: ["ignore", "inherit", "inherit"],
    });
    tarballs.push({ name: source.name, path });
  }
  return tarballs;
};
