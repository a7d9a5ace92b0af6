import { CommanderError } from "@commander-js/extra-typings";
import type { Problem } from "@postern/client";
import { printable } from "./output/printable.ts";
import { isKey } from "./session/key.ts";
import { EXIT, Stop } from "./stop.ts";

/** How the program ends: what it says on standard error, if anything, and its exit code. */
type Ending = { readonly message: string; readonly exitCode: number };

/** Codes of problems that are not the request's fault: the same command may succeed later. */
const LATER: ReadonlySet<string> = new Set(["unreachable", "unavailable"]);

const KEYS_ELSEWHERE =
  "  POSTERN_TOKEN is a key. Keys work at one address only, which was shown when they were created: --url or POSTERN_URL names it.";

/** What a problem lists besides its detail. */
const listOf = (problem: Problem): readonly string[] => {
  if (problem.code === "unauthorized")
    return isKey(process.env["POSTERN_TOKEN"] ?? "") ? [KEYS_ELSEWHERE] : [];
  if ("errors" in problem && problem.errors !== undefined) {
    return problem.errors.map(
      ({ pointer, parameter, reason }) => `  ${pointer ?? parameter ?? ""} ${reason}`,
    );
  }
  if ("alias_count" in problem && problem.alias_count !== undefined) {
    return [`  It is attached to ${problem.alias_count} aliases: \`postern alias list --to RECIPIENT\`.`];
  }
  return [];
};

const exitOf = (code: Problem["code"]): number => {
  if (code === "unauthorized") return EXIT.signIn;
  return LATER.has(code) ? EXIT.unreachable : EXIT.refused;
};

const problemEnding = (problem: Problem, retryAfter: number | null): Ending => {
  // The client wraps what went wrong while a token was renewed.
  if ("cause" in problem && problem.cause instanceof Stop) return stopEnding(problem.cause);
  const again = retryAfter === null ? [] : [`  Try again in ${retryAfter} seconds.`];
  const lines = [`${problem.code}: ${problem.detail}`, ...listOf(problem), ...again];
  return { message: lines.map(printable).join("\n"), exitCode: exitOf(problem.code) };
};

const stopEnding = ({ message, exit }: Stop): Ending => ({
  message: exit === "usage" ? `postern: ${message}` : message,
  exitCode: EXIT[exit],
});

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;

/** What to make of whatever ended a command early. */
export const endingOf = async (error: unknown): Promise<Ending> => {
  if (error instanceof Stop) return stopEnding(error);
  if (error instanceof CommanderError) {
    // Commander has explained it already. To be shown help is no failure.
    const isHelp = error.exitCode === 0 || error.code === "commander.help";
    return { message: "", exitCode: isHelp ? 0 : EXIT.usage };
  }
  const { ClientError } = await import("@postern/client");
  if (error instanceof ClientError) return problemEnding(error.problem, error.retryAfter);
  // Nobody reads on: `postern alias list | head -1`.
  if (isSystemError(error) && error.code === "EPIPE") return { message: "", exitCode: 0 };
  if (isSystemError(error)) return { message: `${error.code}: ${error.message}`, exitCode: EXIT.refused };
  throw error;
};
