import { globSync } from "node:fs";
import { join } from "node:path";
import { type ReleaseFile, releaseFile } from "./release-file.ts";
import { ROOT, read } from "./server-files.ts";

/** They are about the source. */
const NOT_RELEASED = ["architecture.md", "benchmarks.md", "write-an-adapter.md"];

const REPOSITORY = "https://github.com/postern/postern/blob/main";

/** Those parts of `deploy` that are in the tarball, as they are there. The others build images from the repository. */
const DEPLOYED =
  /^\.\.\/deploy\/(?:release\/)?(?=postern\.env|dynamodb-table|systemd|nginx|cloudfront|serverless|prometheus|grafana)/;

/** Where a link of a document leads in the tarball: to a file in it, or to the repository. */
const released = (path: string, documents: readonly string[]): string => {
  if (documents.includes(path) || path === "../CHANGELOG.md") return path;
  return DEPLOYED.test(path) ? path.replace(DEPLOYED, "../") : `${REPOSITORY}/${join("docs", path)}`;
};

/** The documents for operators and for users of the API, in the folder `docs`. */
export const releasedDocuments = (): readonly ReleaseFile[] => {
  const documents = globSync(["*.md", "openapi.json"], {
    cwd: join(ROOT, "docs"),
    exclude: NOT_RELEASED,
  }).sort();
  return documents.map((document) => {
    const text = String(read(`docs/${document}`)).replaceAll(
      /\]\((?![a-z]+:)([^)\s#]+)/g,
      (_, path: string) => `](${released(path, documents)}`,
    );
    return releaseFile(`docs/${document}`, text);
  });
};
