import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";

/** A program from a document, with everything that it takes for granted. */
export type Program = {
  readonly text: string;
  /** Declares what the document leaves open. */
  readonly before?: string;
  /** Uses what the program defines, and prints something about it. */
  readonly after?: string;
};

export type RunProgram = Program & {
  /** What the program prints. */
  readonly prints: RegExp;
  readonly variables?: Record<string, string>;
};

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    // The packages are compiled from source here.
    lib: ["es2024", "es2025.collection", "es2025.iterator"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["*.ts"],
};

/** A folder in this package, so that programs find what this package depends on. */
export const newFolder = (): string => {
  const parent = join(import.meta.dirname, "../.programs");
  mkdirSync(parent, { recursive: true });
  const folder = newDirectory(parent);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  return folder;
};

/** What a program printed. Rejects with all of it if the program fails. */
export const outputOf = (
  command: string,
  parameters: readonly string[],
  directory: string,
  variables: Record<string, string> = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const outside = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
    const env = {
      ...Object.fromEntries(outside),
      LINK_SECRET: "0123456789abcdef0123456789abcdef",
      ...variables,
    };
    execFile(command, [...parameters], { cwd: directory, env, timeout: 300_000 }, (error, output, errors) => {
      if (error === null) resolve(output);
      else reject(new Error(`${error.message}\n${output}\n${errors}`));
    });
  });
