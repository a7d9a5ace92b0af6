import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { buildWeb } from "../../packages/web/build.ts";
import { bundleServer } from "./bundle.ts";
import { type ReleaseFile, releaseFile } from "./release-file.ts";

/** The repository. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const read = (path: string): Buffer => readFileSync(resolve(ROOT, path));

/** Every file below `source`, at `place` in the release. */
export const copied = (source: string, place: string): readonly ReleaseFile[] =>
  globSync("**/*", { cwd: resolve(ROOT, source), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(resolve(ROOT, source), join(entry.parentPath, entry.name)))
    .map((path) => releaseFile(`${place}${path}`, read(join(source, path)), path.startsWith("bin/")));

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
});

const { name, version, license, engines } = Manifest.parse(
  JSON.parse(read("packages/server/package.json").toString()),
);
const manifest = {
  name,
  version,
  private: true,
  license,
  type: "module",
  engines,
  exports: "./dist/index.js",
};

/** The browser app, as it is in the release, and the modules that it consists of. */
const webFiles = async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-web-"));
  try {
    const modules = await buildWeb(folder);
    return { modules, files: copied(folder, "web/") };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * The server's part of the release: everything that the program reads.
 *
 * @param programs other programs that share its modules: their sources, by their names in `dist`
 */
export const serverFiles = async (programs: Readonly<Record<string, string>> = {}) => {
  const { files, modules } = await bundleServer(ROOT, programs);
  const web = await webFiles();
  return {
    version,
    modules: [...modules, ...web.modules],
    files: [
      ...files,
      ...web.files,
      releaseFile("package.json", `${JSON.stringify(manifest, null, 2)}\n`),
      ...copied("packages/adapter-sqlite/src/migrations", "migrations/sqlite/"),
      ...copied("packages/adapter-sqlite/src/spool-migrations", "migrations/sqlite-spool/"),
      ...copied("packages/adapter-postgres/src/migrations", "migrations/postgres/"),
    ],
  };
};

/** Writes them to a folder. */
export const writeFiles = (folder: string, files: readonly ReleaseFile[]): void => {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
};
