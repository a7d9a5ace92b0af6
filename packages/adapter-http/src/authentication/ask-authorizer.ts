import { type AccountId, parseAccountId, type Result } from "@postern/core";
import { isPromise, type MaybePromise } from "../maybe-promise.ts";
import type { AuthorizationRequest, Authorizer } from "./authorizer.ts";

type Answer = Awaited<ReturnType<Authorizer["authorize"]>>;
type Refusal = Answer extends Result<AccountId, infer E> ? E : never;

const REFUSALS = { unauthorized: true, account_not_allowed: true, unavailable: true } satisfies Record<
  Refusal["code"],
  true
>;

/** Something that an application's own authorizer did, which its developers have to hear of. The `cause` says what. */
export class AuthorizerFailure extends Error {}

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value);

/** What is wrong with an answer, whatever its type was said to be; null if nothing is. Contains no value, except the code of an error. */
const problemWith = (answer: Answer): string | null => {
  if (typeof answer?.isErr !== "function") {
    return `authorize must return ok(accountId) or err({ code: "unauthorized" }), or a promise of one of them, but returned ${typeOf(answer)}`;
  }
  if (answer.isErr()) {
    const code: unknown = answer.error?.code;
    if (typeof code === "string" && Object.hasOwn(REFUSALS, code)) return null;
    const given = typeof code === "string" ? `"${code.slice(0, 100)}"` : typeOf(code);
    return `an error of authorize must have one of the codes ${Object.keys(REFUSALS).join(", ")}, but has ${given}`;
  }
  if (parseAccountId(answer.value).isOk()) return null;
  const given = typeof answer.value === "string" ? "a string that is not one" : typeOf(answer.value);
  return `authorize must return an account id, from parseAccountId, but returned ${given}`;
};

const checked = (answer: Answer): Answer => {
  const problem = problemWith(answer);
  if (problem !== null) throw new AuthorizerFailure(problem, { cause: new TypeError(problem) });
  return answer;
};

const failed = (thrown: unknown): never => {
  throw new AuthorizerFailure("the authorizer has thrown", { cause: thrown });
};

/** Asks which account makes a request. Throws, or rejects with, an `AuthorizerFailure`, and nothing else. */
export const askAuthorizer = (
  authorizer: Authorizer,
  request: AuthorizationRequest,
): MaybePromise<Answer> => {
  let answer: MaybePromise<Answer>;
  try {
    answer = authorizer.authorize(request);
  } catch (thrown) {
    return failed(thrown);
  }
  return isPromise(answer) ? Promise.resolve(answer).catch(failed).then(checked) : checked(answer);
};
