import { execFile } from "node:child_process";
import { type Cause, err, ok, type Result } from "@postern/core";
import { resultName } from "./result-names.ts";
import { isDamage } from "./sqlite-error.ts";
import { VERIFY_PROGRAM } from "./verify-program.ts";

/**
 * Why a file is not known to be intact.
 * - `damaged`: the file is damaged; the reason names tables, but no content
 * - `wrong_index`: only the search index, which can be rebuilt, does not match the aliases
 * - `not_checked`: the check itself failed, because of a lock or the operating system
 */
export type NotIntact = { readonly code: "damaged" | "wrong_index" | "not_checked"; readonly cause: Cause };

const because = (reason: string): Cause => ({ source: "sqlite", reason: reason.slice(0, 200) });

/** @param code SQLite's; not a number if the failure is not SQLite's */
const failureOf = (code: number): NotIntact =>
  Number.isNaN(code)
    ? { code: "not_checked", cause: because("the check failed") }
    : { code: isDamage(code) ? "damaged" : "not_checked", cause: because(resultName(code)) };

/**
 * Looks for damage in a SQLite file: damaged pages, violated constraints, and rows that reference missing ones, with a check that also
 * compares indexes with their tables, or a quick one that does not. Compares a store's search index with the words of the aliases. Reads
 * the whole file in a separate process, for at most `timeoutMs` milliseconds.
 *
 * @returns `intact`; `unfinished` if the time was too short; or why it is not known to be intact
 */
export const verifyFile = (
  path: string,
  check: "quick_check" | "integrity_check",
  timeoutMs: number,
): Promise<Result<"intact" | "unfinished", NotIntact>> =>
  new Promise((resolve) => {
    const args = ["--no-warnings", "--input-type=commonjs", "-e", VERIFY_PROGRAM, path, check];
    // Without this process's environment, which contains secrets.
    const options = { env: {}, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, args, options, (error, output) => {
      if (error?.killed) return resolve(ok("unfinished"));
      const [, what, detail = ""] = /^(ok|damaged|index|code)(?: (.+))?\n$/.exec(output) ?? [];
      switch (what) {
        case "ok":
          return resolve(ok("intact"));
        case "damaged":
          return resolve(err({ code: "damaged", cause: because(detail) }));
        case "index":
          return resolve(
            err({ code: "wrong_index", cause: because("alias_words has other words than aliases") }),
          );
        case "code":
          return resolve(err(failureOf(Number(detail))));
        default:
          // For example, if the system killed it for lack of memory.
          return resolve(err({ code: "not_checked", cause: because("the process of the check failed") }));
      }
    });
  });
