import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";

const ROOT = fileURLToPath(new URL(".", import.meta.url));

/** What is worth compressing. */
const TEXT = "**/*.{html,js,css,svg,json,txt}";

/**
 * Builds the app into a folder, which is emptied first: `index.html`, and below `assets/` files whose names contain a hash of what they
 * contain. Beside each file that is text there is one in Brotli, with `.br` at the end of its name.
 */
export const buildWeb = async (folder: string): Promise<void> => {
  await build({ root: ROOT, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
  for (const name of globSync(TEXT, { cwd: folder })) {
    const path = join(folder, name);
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
};

const [, program, folder] = process.argv;
if (program !== undefined && folder !== undefined && import.meta.url === pathToFileURL(program).href)
  await buildWeb(join(process.cwd(), folder));
