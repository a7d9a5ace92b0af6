import type { ClientError, Problem } from "@postern/client";
import { useEffect, useState } from "preact/hooks";
import { words } from "../words/words.ts";
import { Notice } from "./notice.tsx";

/** What a problem means to the person, whatever the API's own words for developers are. A newer API can have further codes. */
const wordsFor = (problem: Problem): string => {
  const known: { readonly [code: string]: unknown } = words.problems;
  if (!Object.hasOwn(known, problem.code)) return words.unknownProblem(problem.title);
  // Each of them takes the problem that has its code: the type of `problems` says so.
  const found = known[problem.code] as string | ((of: Problem) => string);
  return typeof found === "string" ? found : found(problem);
};

/** The seconds until `retryAfter` seconds have passed since the error was shown. */
const useSecondsLeft = (error: ClientError | null): number => {
  const [now, setNow] = useState(Date.now);
  const [since, setSince] = useState(Date.now);
  useEffect(() => {
    setSince(Date.now());
    setNow(Date.now());
    if (!error?.retryAfter) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [error]);
  return Math.max(0, Math.ceil((error?.retryAfter ?? 0) - (now - since) / 1_000));
};

/** Why something failed, if it did; how long to wait; and what to tell the operator if nobody can tell why. */
export const ProblemNotice = ({
  error,
  onRetry,
}: {
  readonly error: ClientError | null;
  /** Offers to try again. */
  readonly onRetry?: (() => void) | undefined;
}) => {
  const left = useSecondsLeft(error);
  // While somebody signs in again, that dialog says what is wrong.
  if (error === null) return null;
  const { problem, requestId } = error;
  const isOurs = problem.code === "internal_error" || problem.code === "misconfigured";
  return (
    <Notice
      look="bad"
      {...(onRetry !== undefined && { action: { name: words.common.tryAgain, run: onRetry } })}
    >
      <p>{wordsFor(problem)}</p>
      {left > 0 && <p>{words.common.waitSeconds(left)}</p>}
      {isOurs && requestId !== null && <p class="quiet">{words.common.requestId(requestId)}</p>}
    </Notice>
  );
};
