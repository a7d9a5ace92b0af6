import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleLambda } from "./bundle.ts";
import { releasedDocuments } from "./documents.ts";
import { thirdPartyLicenses } from "./licenses.ts";
import { releaseFile } from "./release-file.ts";
import { copied, ROOT, read, serverFiles } from "./server-files.ts";
import { tarball } from "./tarball.ts";
import { zip } from "./zip.ts";

const { version, files, modules } = await serverFiles();

const folder = `postern-${version}`;
const packed = await tarball(folder, [
  ...files,
  ...copied("deploy/release", ""),
  ...releasedDocuments(),
  ...["nginx", "cloudfront", "serverless", "systemd", "prometheus", "grafana"].flatMap((part) =>
    copied(`deploy/${part}`, `${part}/`),
  ),
  releaseFile("dynamodb-table.json", read("deploy/dynamodb-table.json")),
  releaseFile(
    "THIRD-PARTY-LICENSES.txt",
    thirdPartyLicenses(ROOT, modules, "Postern's server and its browser app"),
  ),
  ...["LICENSE", "CHANGELOG.md"].map((path) => releaseFile(path, read(path))),
]);

const lambda = await bundleLambda(ROOT);
const zipped = zip([
  ...lambda.files,
  releaseFile("THIRD-PARTY-LICENSES.txt", thirdPartyLicenses(ROOT, lambda.modules, "Postern's functions")),
  releaseFile("LICENSE", read("LICENSE")),
]);

const out = join(ROOT, "out");
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
for (const [name, content] of [
  [`${folder}.tgz`, packed],
  [`postern-lambda-${version}.zip`, zipped],
] as const) {
  writeFileSync(join(out, name), content);
  const sum = createHash("sha256").update(content).digest("hex");
  writeFileSync(join(out, `${name}.sha256`), `${sum}  ${name}\n`);
  process.stdout.write(`out/${name}  ${content.length} bytes, sha256 ${sum}\n`);
}
