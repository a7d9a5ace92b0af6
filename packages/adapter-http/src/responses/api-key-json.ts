import { type ApiKey, type ApiKeyCreated, CLIENT_KINDS, SCOPES } from "@postern/core";
import {
  type NamedSchema,
  nullable,
  object,
  openEnum,
  reference,
  type Schema,
  time,
} from "../openapi/schema.ts";

export const SCOPE: NamedSchema = {
  name: "Scope",
  schema: { type: "string", enum: SCOPES, description: "What a program may do with a key" },
};

const CLIENT_KIND: NamedSchema = {
  name: "ClientKind",
  schema: {
    type: "string",
    enum: CLIENT_KINDS,
    description: "The kind of program that used a key, as far as its request shows",
  },
};

const PROPERTIES = {
  key_id: {
    type: "string",
    description: "Opaque; stable for the life of the key",
    examples: ["mtkuqszxt4aqwjmuqrmhai7toe"],
  },
  name: { type: "string", description: "What its owner calls it", examples: ["Password manager"] },
  scopes: {
    type: "array",
    items: openEnum(SCOPE, { description: "What a program may do with it" }),
    minItems: 1,
    description: "What a program may do with it",
    examples: [["aliases:create"]],
  },
  alias_domain: nullable({
    type: "string",
    description:
      "The alias domain of the aliases that it creates for websites; null for the service's first one",
    examples: [null],
  }),
  recipient_ids: nullable({
    type: "array",
    items: { type: "string" },
    minItems: 1,
    description:
      "The recipients of the aliases that it creates for websites; null for the account's default recipient",
    examples: [null],
  }),
  expires: nullable({
    ...time("When it stops working, in Unix epoch milliseconds; null if never"),
    examples: [null],
  }),
  datetime_created: time("Unix epoch milliseconds"),
  datetime_last_used: nullable(
    time("The hour in which it was last used, as its beginning in Unix epoch milliseconds; null if never"),
  ),
  last_used_by: nullable(
    openEnum(CLIENT_KIND, {
      description: "The kind of program that used it last; null if it was never used",
      examples: ["browser_extension"],
    }),
  ),
} satisfies Record<string, Schema>;

/** An API key as clients see it. */
export const API_KEY: NamedSchema = {
  name: "ApiKey",
  schema: { ...object(PROPERTIES), description: "A key that a program uses instead of a token" },
};

const SECRET = {
  secret: {
    type: "string",
    description: "What the program authenticates with. It is not stored: no other response has it",
    examples: ["pk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXaBcDeF"],
  },
} satisfies Record<string, Schema>;

/** A new API key as clients see it. */
export const API_KEY_CREATED: NamedSchema = {
  name: "ApiKeyCreated",
  schema: {
    allOf: [reference(API_KEY), object(SECRET)],
    description: "A new key, with its secret",
  },
};

export const apiKeyJson = (apiKey: ApiKey): Record<keyof typeof PROPERTIES, unknown> => ({
  key_id: apiKey.id,
  name: apiKey.name,
  scopes: apiKey.scopes,
  alias_domain: apiKey.aliasDomain,
  recipient_ids: apiKey.recipientIds,
  expires: apiKey.expiresAt,
  datetime_created: apiKey.createdAt,
  datetime_last_used: apiKey.lastUse?.at ?? null,
  last_used_by: apiKey.lastUse?.by ?? null,
});

/** The only JSON with the secret of an API key. */
export const apiKeyCreatedJson = ({
  apiKey,
  secret,
}: ApiKeyCreated): Record<keyof typeof PROPERTIES | keyof typeof SECRET, unknown> => ({
  ...apiKeyJson(apiKey),
  secret,
});
