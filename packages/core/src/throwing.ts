import type { Result } from "neverthrow";
import type { DomainError } from "./errors.ts";
import type { Postern } from "./postern.ts";

/** A failure as an exception. `failure` is the value that the operation would have returned. */
export class PosternError extends Error {
  override readonly name = "PosternError";
  /** Stable: match on it. */
  readonly code: DomainError["code"];
  readonly failure: DomainError;

  constructor(failure: DomainError) {
    super(
      failure.code === "invalid_request"
        ? failure.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`.trim()).join("; ")
        : failure.code,
    );
    this.code = failure.code;
    this.failure = failure;
  }
}

/** The same operations, but they resolve to the value itself or reject with a `PosternError`. */
export type ThrowingPostern = {
  readonly [Name in keyof Postern]: Postern[Name] extends (
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
export const throwing = (service: Postern): ThrowingPostern =>
  // Sound because `ThrowingPostern` changes the type of each operation just as `throwingOperation` changes it.
  Object.fromEntries(
    Object.entries<AnyOperation>(service).map(([name, call]) => [name, throwingOperation(call)]),
  ) as ThrowingPostern;
