import { join } from "node:path";
import { bundleLambda } from "./bundle.ts";
import { ROOT, serverFiles, writeFiles } from "./server-files.ts";

/* Writes the program, as a release has it, into the folder in its argument, and the functions into the folder `lambda` in it. */

const [folder = ""] = process.argv.slice(2);
const { files } = await serverFiles();
writeFiles(folder, files);
writeFiles(join(folder, "lambda"), (await bundleLambda(ROOT)).files);
