import {
  type AddressFormat,
  type Alias,
  type AnyPostern,
  type ApiKey,
  err,
  type InvalidRequest,
  type Operation,
  ok,
  type Result,
  type Scope,
} from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { Failure } from "../problems/failure.ts";
import { stateOf } from "../request-state.ts";
import { type ApiResponse, jsonResponse, type Outcome } from "../responses/response.ts";
import type { RegisteredRoute } from "../routes/route.ts";

/** What a call of another service's API is about. */
export type Call = {
  readonly key: ApiKey;
  /** The members of the body, which may be anything. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The alias in the path; empty if there is none. */
  readonly aliasId: string;
};

const membersOf = (value: unknown): Call["body"] =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The member if it is text; empty otherwise. */
export const text = (members: Call["body"], name: string): string => {
  const value = members[name];
  return typeof value === "string" ? value : "";
};

/** The member if it is a list, without what is no text. */
export const texts = (members: Call["body"], name: string): readonly string[] => {
  const value = members[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
};

const callOf = (request: FastifyRequest): Call => {
  const { apiKey: key } = stateOf(request);
  if (key === null) throw new Error("Only programs with keys get here");
  const { body, query, params } = request;
  return {
    key,
    body: membersOf(body),
    query: membersOf(query),
    aliasId: text(membersOf(params), "alias_id"),
  };
};

/** A route for a call of another service's API. Its answer, and what is wrong with the call, is JSON. */
export const route = (
  method: RegisteredRoute["method"],
  path: string,
  scope: Scope | "any",
  answer: (call: Call) => Promise<Result<ApiResponse, Failure>>,
): RegisteredRoute => ({
  method,
  path,
  scope,
  ...(scope === "aliases:create" && { creates: true }),
  anyBody: true,
  handler:
    () =>
    async (request): Promise<Outcome> =>
      answer(callOf(request)),
});

export const json = (body: unknown, status = 200): Result<ApiResponse, never> =>
  ok(jsonResponse(status, body));

/** Carries out an operation of the core. */
export const perform = async <Input, Value, Error extends Failure | InvalidRequest>(
  operation: Operation<Input, Value, Error>,
  input: NoInfer<Input>,
): Promise<Result<Value, Exclude<Error, InvalidRequest> | Failure>> => {
  const parsed = operation.parse(input);
  if (parsed.isOk()) return operation.run(parsed.value);
  const errors = parsed.error.issues.map(({ path, reason }) => ({ parameter: path.join("."), reason }));
  return err({ code: "invalid_request", errors });
};

/** What a program says about the alias that it wants. */
type Wanted = {
  readonly website: string;
  readonly note: string;
  readonly format?: AddressFormat;
  readonly email?: string;
  /** The alias domain; that of the key by default. */
  readonly domain?: string;
  /** The recipients; those of the key by default. */
  readonly recipientIds?: readonly string[];
};

/** Creates the alias, on the key's domain and with its recipients unless the program wants others. */
export const createAlias = async (
  { createAliasForWebsite, getService }: AnyPostern,
  { key: { id: program, account, aliasDomain, recipientIds } }: Call,
  wanted: Wanted,
): Promise<Result<Alias, Failure>> => {
  const created = await perform(createAliasForWebsite, {
    account,
    program,
    domain: aliasDomain ?? undefined,
    recipientIds: recipientIds ?? undefined,
    ...wanted,
  });
  if (created.isOk()) return created;
  const { error } = created;
  if (error.code !== "address_not_allowed" || error.reason !== "not_an_alias_domain") return err(error);
  const service = await perform(getService, { account });
  return err(service.isOk() ? { ...error, aliasDomains: service.value.aliasDomains } : error);
};
