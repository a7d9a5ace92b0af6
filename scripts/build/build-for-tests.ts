import { serverFiles, writeFiles } from "./server-files.ts";

/* Writes the program, as a release has it, into the folder in its argument. */

const [folder = ""] = process.argv.slice(2);
const { files } = await serverFiles();
writeFiles(folder, files);
