// The `prepack` of every published package: `pnpm pack` and `pnpm publish` run it in the package's folder. It builds from
// scratch, because `tsc -b` keeps the output of deleted sources and does not notice that `dist` is gone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

// npm would leave `catalog:` and `workspace:` in the manifest, which nobody else can install, and ignore `publishConfig.exports`.
if (!process.env.npm_config_user_agent?.startsWith("pnpm/")) {
  throw new Error(
    "Only pnpm can pack this package: run `npx -y pnpm@12 pack:packages`, which packs all of them",
  );
}

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
if (!existsSync(tsc)) throw new Error("TypeScript is not installed: run `npx -y pnpm@12 install` first");

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-b", "--force"], { stdio: "inherit" });

const { name, publishConfig } = JSON.parse(readFileSync("package.json", "utf8"));
const missing = Object.values(publishConfig.exports).filter((file) => !existsSync(file));
if (missing.length > 0)
  throw new Error(`The build of ${name} lacks files that it exports: ${missing.join(", ")}`);
