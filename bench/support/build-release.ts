import { ROOT, serverFiles, writeFiles } from "../../scripts/build/server-files.ts";

/* Writes the release, with Postern's contenders as further programs in it, into the folder in its argument. */

const [folder = ""] = process.argv.slice(2);
const { files } = await serverFiles({
  postern: `${ROOT}bench/contenders/postern.ts`,
  "postern-mail": `${ROOT}bench/contenders/postern-mail.ts`,
});
writeFiles(folder, files);
