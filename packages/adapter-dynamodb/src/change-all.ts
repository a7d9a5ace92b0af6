import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { Refused } from "./send-until-deadline.ts";

/** About 2,000 write units per second: half of what a new on-demand table provides, so that servers have the rest. */
const CONCURRENT_WRITES = 4;

/** Applies `change`, which returns whether it changed anything, to each item, a few at a time. Returns how many were changed. */
export const changeAll = async <T>(
  all: readonly T[],
  change: (each: T) => Promise<Result<boolean, Unavailable>>,
): Promise<Result<number, Unavailable>> => {
  let changed = 0;
  for (let n = 0; n < all.length; n += CONCURRENT_WRITES) {
    const made = await Promise.all(all.slice(n, n + CONCURRENT_WRITES).map(change));
    for (const result of made) {
      if (result.isErr()) return err(result.error);
      if (result.value) changed += 1;
    }
  }
  return ok(changed);
};

/** For a change whose refusal means that a server has made it, or that there is nothing left to do. */
export const unlessRefused = (written: Result<void, Refused | Unavailable>): Result<boolean, Unavailable> => {
  if (written.isOk()) return ok(true);
  return written.error.code === "refused" ? ok(false) : err(written.error);
};
