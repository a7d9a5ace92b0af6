import { readFileSync } from "node:fs";

/** The documents that embed files of the repository, each between a marker that names the file and an end marker. */
export const DOCUMENTS = ["README.md", "docs/write-an-adapter.md"] as const;

const ROOT = new URL("../", import.meta.url);
const EMBEDDED = /^<!-- file: (\S+), written by `pnpm embed` -->\n.*?^<!-- file: end -->$/gms;

export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/**
 * The document with the current contents of its embedded files.
 *
 * @throws Error if the markers do not come in pairs
 */
export const withEmbeddedFiles = (document: string): string => {
  const markers = document.match(/^<!-- file: /gm)?.length ?? 0;
  if (markers !== 2 * (document.match(EMBEDDED)?.length ?? 0))
    throw new Error(
      "The file markers do not come in pairs: each file needs one that names it and an end marker",
    );
  return document.replaceAll(EMBEDDED, (_, path: string) => {
    const fence = `\`\`\`${path.slice(path.lastIndexOf(".") + 1)}`;
    const lines = [`<!-- file: ${path}, written by \`pnpm embed\` -->`, "", fence];
    return [...lines, readDocument(path).trimEnd(), "```", "", "<!-- file: end -->"].join("\n");
  });
};
