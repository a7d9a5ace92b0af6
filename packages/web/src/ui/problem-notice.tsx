import type { ClientError, Problem } from "@postern/client";
import { useMemo } from "preact/hooks";
import { dateTime } from "../format.ts";
import { words } from "../words/words.ts";
import { Notice } from "./notice.tsx";
import { useSecondsLeft } from "./seconds-left.ts";

/** What a problem means to the person, whatever the API's own words for developers are. A newer API can have further codes. */
export const problemWords = (problem: Problem): string => {
  const known: { readonly [code: string]: unknown } = words.problems;
  if (!Object.hasOwn(known, problem.code)) return words.unknownProblem(problem.title);
  // Each of them takes the problem that has its code: the type of `problems` says so.
  const found = known[problem.code] as string | ((of: Problem) => string);
  return typeof found === "string" ? found : found(problem);
};

/** In seconds: what takes longer is not counted down. */
const LONGEST_COUNT = 120;

/** Why something failed, if it did; how long to wait; and what to tell the operator if nobody can tell why. */
export const ProblemNotice = ({
  error,
  said = {},
  onRetry,
}: {
  readonly error: ClientError | null;
  /** By code, words that say more here than the usual ones. */
  readonly said?: Readonly<Partial<Record<Problem["code"], string>>>;
  /** Offers to try again. */
  readonly onRetry?: (() => void) | undefined;
}) => {
  const until = useMemo(() => Date.now() + 1_000 * (error?.retryAfter ?? 0), [error]);
  const left = useSecondsLeft(until);
  // While somebody signs in again, that dialog says what is wrong.
  if (error === null) return null;
  const { problem, requestId } = error;
  const isOurs = problem.code === "internal_error" || problem.code === "misconfigured";
  return (
    <Notice
      look="bad"
      {...(onRetry !== undefined && { action: { name: words.common.tryAgain, run: onRetry } })}
    >
      <p>{said[problem.code] ?? problemWords(problem)}</p>
      {left > 0 && (
        // Nobody wants each second read out.
        <p aria-live="off">
          {left > LONGEST_COUNT ? words.common.waitUntil(dateTime(until)) : words.common.waitSeconds(left)}
        </p>
      )}
      {isOurs && requestId !== null && <p class="quiet">{words.common.requestId(requestId)}</p>}
    </Notice>
  );
};
