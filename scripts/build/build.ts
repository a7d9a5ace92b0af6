import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { bundleServer } from "./bundle.ts";
import { environmentFile } from "./environment-file.ts";
import { thirdPartyLicenses } from "./licenses.ts";
import { type ReleaseFile, releaseFile } from "./release-file.ts";
import { tarball } from "./tarball.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
});

const read = (path: string): Buffer => readFileSync(join(ROOT, path));

/** Every file below `source`, at `place` in the release. */
const copied = (source: string, place: string): readonly ReleaseFile[] =>
  globSync("**/*", { cwd: join(ROOT, source), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(ROOT, source), join(entry.parentPath, entry.name)))
    .map((path) => releaseFile(`${place}${path}`, read(join(source, path)), path.startsWith("bin/")));

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
const { files, modules } = await bundleServer(ROOT);

const folder = `postern-${version}`;
const packed = await tarball(folder, [
  ...files,
  releaseFile("package.json", `${JSON.stringify(manifest, null, 2)}\n`),
  ...copied("packages/adapter-sqlite/src/migrations", "migrations/sqlite/"),
  ...copied("packages/adapter-sqlite/src/spool-migrations", "migrations/sqlite-spool/"),
  ...copied("packages/adapter-postgres/src/migrations", "migrations/postgres/"),
  ...copied("deploy/release", ""),
  ...["nginx", "systemd", "prometheus", "grafana"].flatMap((part) => copied(`deploy/${part}`, `${part}/`)),
  releaseFile("dynamodb-table.json", read("deploy/dynamodb-table.json")),
  releaseFile("postern.env.example", environmentFile()),
  releaseFile("THIRD-PARTY-LICENSES.txt", thirdPartyLicenses(ROOT, modules)),
  ...["LICENSE", "CHANGELOG.md"].map((path) => releaseFile(path, read(path))),
]);

const out = join(ROOT, "out");
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
writeFileSync(join(out, `${folder}.tgz`), packed);
const sum = createHash("sha256").update(packed).digest("hex");
writeFileSync(join(out, `${folder}.tgz.sha256`), `${sum}  ${folder}.tgz\n`);
process.stdout.write(`out/${folder}.tgz  ${packed.length} bytes, sha256 ${sum}\n`);
