import { type Alias, type AnyPostern, type ApiKey, err, type Result } from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { Failure } from "../problems/failure.ts";
import { stateOf } from "../request-state.ts";

/** What a password manager says about the alias that it wants. */
type Wanted = {
  readonly website: string;
  readonly note: string;
  readonly format: "random" | "words" | "uuid";
  /** The alias domain; that of the key by default. */
  readonly domain?: string | undefined;
};

/** The key of a request that was authenticated with one. */
export const keyOf = (request: FastifyRequest): ApiKey => {
  const { apiKey } = stateOf(request);
  if (apiKey === null) throw new Error("These routes are only for programs with keys");
  return apiKey;
};

/** The member of a body that may be anything at all; undefined if it is no text. */
export const textIn = (body: unknown, name: string): string | undefined => {
  if (typeof body !== "object" || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
};

/** Creates the alias with the key's domain and recipients. */
export const createAliasFor = async (
  { createAliasForWebsite }: Pick<AnyPostern, "createAliasForWebsite">,
  { id: program, account, aliasDomain, recipientIds }: ApiKey,
  { domain = aliasDomain ?? undefined, ...wanted }: Wanted,
): Promise<Result<Alias, Failure>> => {
  const command = createAliasForWebsite.parse({
    account,
    program,
    ...wanted,
    domain,
    recipientIds: recipientIds ?? undefined,
  });
  // Only the domain comes from the program and can be wrong.
  if (command.isErr()) return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
  return createAliasForWebsite.run(command.value);
};
