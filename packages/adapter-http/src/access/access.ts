import type { Authenticate } from "../authentication/identity.ts";
import type { Logger } from "../logger.ts";
import type { WriteFailure } from "../problems/failure-response.ts";
import type { RegisteredRoute } from "../routes/route.ts";

/** Who may use an API, and how: that for people with tokens and that for programs with keys differ in nothing else. */
export type Access = {
  readonly authenticate: Authenticate;
  readonly start?: (logger: Logger | undefined) => void;
  readonly stop?: () => void;
  readonly routes: readonly RegisteredRoute[];
  /** The origins whose pages may read responses. */
  readonly corsOrigins: readonly string[] | "any";
  readonly writeFailure: WriteFailure;
};
