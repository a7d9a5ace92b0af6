import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Program } from "./install-on-debian.ts";
import { newDirectory } from "./new-directory.ts";

/** Debian's Python: one installed in another way does not have its packages. */
const PYTHON = "/usr/bin/python3";

export const VERIFIER_PROGRAMS: readonly Program[] = [
  {
    debianPackage: "libmail-dkim-perl",
    probe: ["perl", "-MMail::DKIM::ARC::Verifier", "-e", "1"],
    need: "Mail::DKIM for Perl",
  },
  {
    debianPackage: "python3-dkim python3-dnspython",
    probe: [PYTHON, "-c", "import dkim, dns.resolver"],
    need: "dkimpy and dnspython for Python",
  },
];

/** What a verifier says about the signatures of a message. */
export type Verified = { readonly dkim: string; readonly arc: string };

const run = promisify(execFile);

const script = (name: string) => join(import.meta.dirname, "verifiers", name);

const parse = (output: string): readonly Verified[] =>
  output
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [dkim = "", arc = ""] = line.split(" ");
      return { dkim, arc };
    });

/**
 * What Mail::DKIM (Perl) and dkimpy (Python) say about the signatures of each message: `pass`, `fail`, `none`, `invalid`.
 *
 * @param messages each character is one octet (latin1)
 * @param dnsPort where they ask for keys, on loopback
 */
export const verifyElsewhere = async (
  messages: readonly string[],
  dnsPort: number,
): Promise<readonly { readonly perl: Verified; readonly python: Verified }[]> => {
  const directory = newDirectory();
  const files = messages.map((_, i) => join(directory, `${i}.eml`));
  for (const [i, file] of files.entries()) await writeFile(file, messages[i] ?? "", "latin1");
  const perl = await run("perl", [script("verify.pl"), `${dnsPort}`, ...files]);
  const python = await run(PYTHON, [script("verify.py"), `${dnsPort}`, ...files]);
  const [byPerl, byPython] = [parse(perl.stdout), parse(python.stdout)];
  return messages.map((_, i) => {
    const [perlSays, pythonSays] = [byPerl[i], byPython[i]];
    if (perlSays === undefined || pythonSays === undefined)
      throw new Error(`nothing was said about message ${i}`);
    return { perl: perlSays, python: pythonSays };
  });
};
