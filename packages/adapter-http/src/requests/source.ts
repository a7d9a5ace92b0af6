import { type AccountId, ok, type Result } from "@postern/core";
import type { Schema } from "../openapi/schema.ts";

/**
 * Where a field of an operation's input is found in a request, and how the OpenAPI document describes it. The operation
 * decides whether the value is valid.
 */
export type Source = {
  readonly from: "path" | "query" | "header" | "body";
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  /**
   * Converts the value sent into the operation's input, or returns why that is impossible. Handles only what is specific
   * to HTTP. Not called if nothing was sent.
   */
  readonly decode: Decode;
};

export type Decode = (sent: unknown, account: AccountId | null) => Result<unknown, string>;

/** The source of each field of an operation's input; `account` comes from the authorizer. */
export type Sources<Input> = { readonly [Field in Exclude<keyof Input, "account">]-?: Source };

const asSent: Decode = (sent) => ok(sent);

/** A parameter in the path. */
export const path = (name: string, schema: Schema): Source => ({
  from: "path",
  name,
  required: true,
  schema,
  decode: asSent,
});

/** A parameter in the query. */
export const query = (name: string, schema: Schema, decode: Decode = asSent): Source => ({
  from: "query",
  name,
  required: false,
  schema,
  decode,
});

/** A header. */
export const header = (name: string, schema: Schema, decode: Decode): Source => ({
  from: "header",
  name,
  required: false,
  schema,
  decode,
});

/** A member of the body. */
export const member = (name: string, schema: Schema, decode: Decode = asSent): Source => ({
  from: "body",
  name,
  required: false,
  schema,
  decode,
});

/** A source that a request must contain. */
export const required = (source: Source): Source => ({ ...source, required: true });
