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
 *
 * @returns the ids of the modules that the app consists of
 */
export const buildWeb = async (folder: string): Promise<readonly string[]> => {
  // Vite would build something else if it is set to anything else, as in tests.
  process.env["NODE_ENV"] = "production";
  const built = await build({ root: ROOT, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
  for (const name of globSync(TEXT, { cwd: folder })) {
    const path = join(folder, name);
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
  // It watches nothing.
  const outputs = "close" in built ? [] : [built].flat();
  return outputs.flatMap(({ output }) =>
    output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : [])),
  );
};

const [, program, folder] = process.argv;
if (program !== undefined && folder !== undefined && import.meta.url === pathToFileURL(program).href)
  await buildWeb(join(process.cwd(), folder));
