import { type AccountId, AliasId, RecipientId } from "@postern/core";
import type { FastifyRequest } from "fastify";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { caller } from "../authentication/authentication.ts";
import type { RequestError } from "../problems/failure.ts";
import { readIfMatch } from "./if-match.ts";
import { readParameters } from "./input.ts";

export const AliasPath = z.object({ alias_id: AliasId.describe("Opaque alias id") });
export const RecipientPath = z.object({ recipient_id: RecipientId.describe("Opaque recipient id") });

type AliasTarget = {
  readonly account: AccountId;
  readonly aliasId: AliasId;
  readonly expectedVersions: readonly number[] | undefined;
};
type RecipientTarget = { readonly account: AccountId; readonly recipientId: RecipientId };

/** Which alias the request is to change, and at which versions its `If-Match` lets it. */
export const readAliasTarget = (request: FastifyRequest): Result<AliasTarget, RequestError> => {
  const path = readParameters(AliasPath, request.params);
  if (path.isErr()) return err(path.error);
  const expectedVersions = readIfMatch(request.headers["if-match"]);
  if (expectedVersions.isErr()) return err(expectedVersions.error);
  return ok({
    account: caller(request),
    aliasId: path.value.alias_id,
    expectedVersions: expectedVersions.value,
  });
};

/** Which recipient the request is about. */
export const readRecipientTarget = (request: FastifyRequest): Result<RecipientTarget, RequestError> =>
  readParameters(RecipientPath, request.params).map(({ recipient_id: recipientId }) => ({
    account: caller(request),
    recipientId,
  }));
