import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import type { ReleaseFile } from "./release-file.ts";

/** The same files produce the same bytes: sorted, owned by root, and all with the same time, the one that npm uses. */
const SAME = { uid: 0, gid: 0, uname: "root", gname: "root", mtime: new Date("1985-10-26T08:15:00Z") };

const foldersOf = ({ path }: ReleaseFile): readonly string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, parts) => `${parts.slice(0, index + 1).join("/")}/`);

/** The files in one folder, as a compressed tarball. */
export const tarball = async (folder: string, files: readonly ReleaseFile[]): Promise<Buffer> => {
  const tar = pack();
  const packed = buffer(tar);
  const folders = new Set(files.flatMap(foldersOf));
  for (const path of ["", ...[...folders].sort()]) {
    tar.entry({ ...SAME, name: `${folder}/${path}`, type: "directory", mode: 0o755 });
  }
  for (const { path, content, executable } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    tar.entry({ ...SAME, name: `${folder}/${path}`, mode: executable ? 0o755 : 0o644 }, content);
  }
  tar.finalize();
  return gzipSync(await packed, { level: 9 });
};
