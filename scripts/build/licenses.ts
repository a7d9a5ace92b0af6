import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  repository: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).optional(),
});
type Package = z.infer<typeof Manifest> & { readonly text: string | null };

const LICENSE_FILE = /^((third-party-)?licen[cs]e|copying|notice)/i;
const IN_A_PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The folder of the package that a module is from; null if it is one of ours. */
const folderOf = (root: string, module: string): string | null => {
  // Code of the bundlers, which they add to what they bundle.
  if (module.startsWith("\0rolldown/")) return join(root, "node_modules/rolldown");
  if (module.startsWith("\0vite/")) return join(root, "packages/web/node_modules/vite");
  const folder = IN_A_PACKAGE.exec(module)?.[0];
  if (folder !== undefined) return folder;
  if (module.startsWith(join(root, "packages/"))) return null;
  throw new Error(`The bundle has a module of unknown origin: ${JSON.stringify(module)}`);
};

const readPackage = (folder: string): Package => {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  const files = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  const texts = files.sort().map((name) => readFileSync(join(folder, name), "utf8").trim());
  return { ...manifest, text: texts.length > 0 ? texts.join("\n\n") : null };
};

/** Some packages are published without their license: it is that of their repository, or else it is in `licenses`. */
const textOf = (one: Package, all: readonly Package[]): string => {
  if (one.text !== null) return one.text;
  const related = all.find(
    ({ repository, license, text }) =>
      repository !== undefined && repository === one.repository && license === one.license && text !== null,
  );
  if (related?.text) return related.text;
  const own = join(import.meta.dirname, "licenses", `${one.name.replace("/", "+")}.txt`);
  if (existsSync(own)) return readFileSync(own, "utf8").trim();
  throw new Error(`${one.name} ${one.version} (${one.license}) has no licence text: add one as ${own}`);
};

/**
 * The licenses of all packages that the modules are from, each text once.
 *
 * @param containers what contains them, in the plural
 */
export const thirdPartyLicenses = (root: string, modules: readonly string[], containers: string): string => {
  const folders = new Set(
    modules.map((module) => folderOf(root, module)).filter((folder) => folder !== null),
  );
  const packages = [...folders].map(readPackage);
  const byText = Map.groupBy(packages, (one) => textOf(one, packages));
  const sections = [...byText].map(([text, ones]) => {
    const names = new Set(ones.map(({ name, version, license }) => `${name} ${version} (${license})`));
    return `${[...names].sort().join("\n")}\n\n${text}\n`;
  });
  const line = `\n${"=".repeat(80)}\n\n`;
  return `${containers} contain these packages. Each list is followed by its licence.\n${line}${sections.sort().join(line)}`;
};
