import type { Result } from "neverthrow";
import type { InvalidRequest } from "./parse.ts";

/**
 * A setting given by whoever composes the operations, who has to correct it at its source.
 *
 * @throws TypeError if it is invalid
 */
export const configured = <T>(name: string, parsed: Result<T, InvalidRequest>): T =>
  parsed.match(
    (setting) => setting,
    ({ issues }) => {
      throw new TypeError(
        issues.map(({ path, reason }) => `${[name, ...path].join(".")} ${reason}`).join("; "),
      );
    },
  );
