import type { Result } from "neverthrow";
import type { DomainError } from "./errors.ts";
import type { BasePostern, Postern } from "./postern.ts";

/** Which ids are affected and why, or what is wrong with the input; empty if there is nothing to add to the code. */
const detailOf = (failure: DomainError): string => {
  switch (failure.code) {
    case "invalid_request":
      return failure.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`.trim()).join("; ");
    case "recipients_ineligible":
      return failure.recipients.map(({ id, reason }) => `${id} is ${reason}`).join(", ");
    case "recipient_attached":
      return failure.aliasIds.join(", ");
    case "address_not_allowed":
      return failure.reason;
    default:
      return "aliasId" in failure ? failure.aliasId : "";
  }
};

const messageOf = (failure: DomainError): string => {
  const detail = detailOf(failure);
  if (failure.code === "invalid_request") return detail;
  return detail === "" ? failure.code : `${failure.code}: ${detail}`;
};

/**
 * A failure as an exception. `failure` is the value that the operation would have returned. The message, for logs, says which ids are
 * affected and why, or what is wrong with the input. Ids are the only stored data in it. Its wording can change.
 */
export class PosternError extends Error {
  override readonly name = "PosternError";
  /** Stable: match on it. */
  readonly code: DomainError["code"];
  readonly failure: DomainError;

  constructor(failure: DomainError) {
    super(messageOf(failure));
    this.code = failure.code;
    this.failure = failure;
  }
}

/** The same operations, but they resolve to the value itself or reject with a `PosternError`. */
export type ThrowingPostern<Service extends BasePostern = Postern> = {
  readonly [Name in keyof Service]: Service[Name] extends (
    ...input: infer Input
  ) => Promise<Result<infer Value, DomainError>>
    ? (...input: Input) => Promise<Value>
    : never;
};

type AnyOperation = (...input: readonly never[]) => Promise<Result<unknown, DomainError>>;

const throwingOperation =
  (call: AnyOperation) =>
  async (...input: readonly never[]): Promise<unknown> => {
    const result = await call(...input);
    if (result.isErr()) throw new PosternError(result.error);
    return result.value;
  };

/**
 * For callers who prefer exceptions: every operation resolves to the value itself, or rejects with a `PosternError`
 * whose `code` and `failure` say what went wrong.
 *
 * @example
 * ```ts
 * const service = throwing(postern(ports));
 * const alias = await service.createAlias({ account, recipientIds: [home] }); // an Alias
 * ```
 */
export const throwing = <Service extends BasePostern>(service: Service): ThrowingPostern<Service> =>
  // Sound because `ThrowingPostern` changes the type of each operation just as `throwingOperation` changes it.
  Object.fromEntries(
    Object.entries<AnyOperation>(service).map(([name, call]) => [name, throwingOperation(call)]),
  ) as ThrowingPostern<Service>;
