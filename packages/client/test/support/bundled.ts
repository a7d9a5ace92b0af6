import { join } from "node:path";
import { rolldown } from "rolldown";

/** The whole package as one module, minified. */
export const bundled = async (): Promise<string> => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../../src/index.ts"),
    platform: "browser",
  });
  const [{ code, imports }, ...others] = (await bundle.generate({ format: "esm", minify: true })).output;
  if (imports.length + others.length > 0) throw new Error("The package imports something");
  return code;
};
