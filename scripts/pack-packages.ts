import { rmSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackages } from "./packages.ts";

const folder = fileURLToPath(new URL("../out/packages", import.meta.url));
// Without the tarballs of earlier versions: users install all that are there.
rmSync(folder, { recursive: true, force: true });
for (const { path } of packPackages(folder)) process.stdout.write(`${relative(process.cwd(), path)}\n`);
