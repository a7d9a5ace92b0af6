import { writeFileSync } from "node:fs";
import { DOCUMENTS, readDocument, withEmbeddedFiles } from "./embedded-files.ts";

for (const path of DOCUMENTS) {
  writeFileSync(new URL(`../${path}`, import.meta.url), withEmbeddedFiles(readDocument(path)));
}
