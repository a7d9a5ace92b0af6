import { relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { type ReleaseFile, releaseFile } from "./release-file.ts";

/** What the server reads at run time, relative to the repository, and where it is in the release. */
const READ_AT_RUN_TIME = new Map([
  ["packages/server/package.json", "package.json"],
  ["packages/adapter-sqlite/src/migrations", "migrations/sqlite/"],
  ["packages/adapter-sqlite/src/spool-migrations", "migrations/sqlite-spool/"],
  ["packages/adapter-postgres/src/migrations", "migrations/postgres/"],
  ["packages/web/dist", "web/"],
  // The threads of the spool and of the mail plane, under the names of their source files and of their published files.
  ["packages/adapter-sqlite/src/spool/worker.ts", "dist/spool-worker.js"],
  ["packages/adapter-sqlite/src/spool/worker.js", "dist/spool-worker.js"],
  ["packages/server/src/serve/mail/worker.ts", "dist/mail-worker.js"],
  ["packages/server/src/serve/mail/worker.js", "dist/mail-worker.js"],
]);

const READ = /new URL\("([^"]+)", import\.meta\.url\)/g;

/** Makes the server find these files from `dist`, and fails the build if a source reads any other. */
const findFiles = (root: string): Plugin => ({
  name: "find-files",
  transform: (code, id) => {
    const source = relative(root, id).split(sep).join("/");
    if (!source.startsWith("packages/") || source.includes("/node_modules/")) return null;
    if (code.replaceAll(READ, "").includes("import.meta")) {
      throw new Error(`${source} uses import.meta, which is another in the bundle`);
    }
    // What changes nothing leaves source maps as they are.
    if (!code.match(READ)) return null;
    return code.replaceAll(READ, (_, path: string) => {
      const read = relative(root, fileURLToPath(new URL(path, pathToFileURL(id))));
      const place = READ_AT_RUN_TIME.get(read.split(sep).join("/").replace(/\/$/, ""));
      if (place === undefined) {
        throw new Error(`${source} reads ${read}, which the release lacks: add it to READ_AT_RUN_TIME`);
      }
      return `new URL("../${place}", import.meta.url)`;
    });
  },
});

const FROM_ENVIRONMENT = "\0postern/credentials?";

/**
 * Where a function has credentials for AWS: only in its environment. The providers of the SDK for other places, with clients of their own, are
 * a twentieth of the program.
 */
const credentialsOfEnvironment: Plugin = {
  name: "credentials-of-environment",
  resolveId: async function (source, importer) {
    if (source !== "@aws-sdk/credential-provider-node") return null;
    const all = await this.resolve(source, importer, { skipSelf: true });
    const provider = await this.resolve("@aws-sdk/credential-provider-env", all?.id);
    return provider && { id: `${FROM_ENVIRONMENT}${provider.id}` };
  },
  load: (id) =>
    id.startsWith(FROM_ENVIRONMENT)
      ? `export { fromEnv as defaultProvider } from ${JSON.stringify(id.slice(FROM_ENVIRONMENT.length))};`
      : null,
};

export type Bundle = {
  readonly files: readonly ReleaseFile[];
  /** The ids of the modules in it: absolute paths, or `\0` and a name if the bundler made the module. */
  readonly modules: readonly string[];
};

/** Bundles these programs with everything that they import. */
const bundle = async (root: string, programs: InputOptions, output: OutputOptions) => {
  const bundle = await rolldown({
    ...programs,
    cwd: root,
    platform: "node",
    // CommonJS packages use it, but their bundled modules do not have it.
    transform: { target: "node24", define: { __dirname: "import.meta.dirname" } },
    plugins: [programs.plugins, findFiles(root)],
    onLog: (level, log, write) => {
      if (level === "warn") throw new Error(`The bundler warns: ${log.message}`);
      write(level, log);
    },
  });
  try {
    return (await bundle.generate({ format: "esm", ...output })).output;
  } finally {
    await bundle.close();
  }
};

const modulesOf = (chunks: readonly OutputChunk[]) =>
  chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => !id.startsWith(FROM_ENVIRONMENT));

/**
 * The server with everything it imports: `dist/main.js`, which is the program, `dist/index.js`, which exports its parts, and
 * `dist/spool-worker.js` and `dist/mail-worker.js`, which it runs in threads.
 *
 * @param programs other programs that share its modules: their sources, by their names in `dist`
 */
export const bundleServer = async (
  root: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<Bundle> => {
  const input = {
    main: `${root}packages/server/src/main.ts`,
    index: `${root}packages/server/src/index.ts`,
    "spool-worker": `${root}packages/adapter-sqlite/src/spool/worker.ts`,
    "mail-worker": `${root}packages/server/src/serve/mail/worker.ts`,
    ...programs,
  };
  // Not minified: stack traces in the log name functions.
  const output = await bundle(root, { input }, { chunkFileNames: "[name].js" });
  const chunks = output.map((part) => {
    if (part.type === "asset") throw new Error(`The bundle has a file of an unknown kind: ${part.fileName}`);
    return part;
  });
  const entries = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const { fileName, imports, dynamicImports } of chunks) {
    const entry = [...imports, ...dynamicImports].find((name) => entries.has(name));
    if (entry !== undefined) throw new Error(`${fileName} imports ${entry}, and would run it`);
  }
  return {
    files: chunks.map(({ fileName, code }) => releaseFile(`dist/${fileName}`, code)),
    modules: modulesOf(chunks),
  };
};

/**
 * The functions for AWS Lambda: `index.mjs`, which is the program, and files that it loads only if it needs them, such as the client of
 * Redis. Each has its source map beside it. Minified, because a function is started often, and what it has to read takes most of that time.
 */
export const bundleLambda = async (root: string): Promise<Bundle> => {
  const input = { index: `${root}packages/server/src/lambda/index.ts` };
  // What the other files share with the program stays in it: it exports that too.
  const programs: InputOptions = {
    input,
    preserveEntrySignatures: "allow-extension",
    plugins: [credentialsOfEnvironment],
  };
  const output = await bundle(root, programs, {
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
    minify: true,
    sourcemap: true,
  });
  const files = output.map((part) =>
    releaseFile(part.fileName, part.type === "chunk" ? part.code : Buffer.from(part.source)),
  );
  return { files, modules: modulesOf(output.filter((part) => part.type === "chunk")) };
};
