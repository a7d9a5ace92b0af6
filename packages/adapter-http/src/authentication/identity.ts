import type { AccountId, ApiKey, RateLimited, Result, Unavailable } from "@postern/core";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import { askAuthorizer } from "./ask-authorizer.ts";
import type { AccountNotAllowed, AuthorizationRequest, Authorizer, Unauthorized } from "./authorizer.ts";

/** Who makes a request. */
type Identity = {
  readonly account: AccountId;
  /** The key that a program has authenticated with; null if it was a person's token. */
  readonly apiKey: ApiKey | null;
};

/** Finds out who makes a request. */
export type Authenticate = (
  request: AuthorizationRequest,
) => MaybePromise<Result<Identity, Unauthorized | AccountNotAllowed | RateLimited | Unavailable>>;

/** By asking the authorizer, which knows tokens. */
export const tokenAuthentication =
  (authorizer: Authorizer): Authenticate =>
  (request) =>
    chain(askAuthorizer(authorizer, request), (answer) =>
      answer.map((account) => ({ account, apiKey: null })),
    );
