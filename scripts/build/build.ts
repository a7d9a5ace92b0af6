import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releasedDocuments } from "./documents.ts";
import { thirdPartyLicenses } from "./licenses.ts";
import { releaseFile } from "./release-file.ts";
import { copied, ROOT, read, serverFiles } from "./server-files.ts";
import { tarball } from "./tarball.ts";

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
