import type { OPERATIONS } from "./generated/operations.ts";
import type { components, operations } from "./generated/types.ts";

/** The operations, by the `operationId` that the API's document gives them. */
export type OperationId = keyof typeof OPERATIONS;

/** Whatever the document describes, by the name of its schema. */
export type Schemas = components["schemas"];

/** These bodies have one member, and functions take it instead of an object. */
export const ONLY_MEMBER = {
  addRecipient: "recipient_email",
  blockSender: "sender",
  createContact: "email",
  replaceRecipients: "recipient_ids",
  updateAliasWebsite: "website",
} as const satisfies { readonly [Id in OperationId]?: keyof Body<Id> };

/** Operations that cannot simply be sent again when an answer is lost: with a key that makes it safe, or never. */
export const REPEATED = {
  createAlias: "with a key",
  createApiKey: "never",
  createWebhook: "with a key",
  resendVerification: "never",
  testWebhook: "never",
} as const satisfies { readonly [Id in OperationId]?: "with a key" | "never" };

type Keyed = {
  [Id in keyof typeof REPEATED]: (typeof REPEATED)[Id] extends "with a key" ? Id : never;
}[keyof typeof REPEATED];

type Row<Id extends OperationId> = (typeof OPERATIONS)[Id];
type Responses<Id extends OperationId> = operations[Id]["responses"];

type Content<Response, Media extends string> = Response extends {
  readonly content: { readonly [Name in Media]: infer Type };
}
  ? Type
  : undefined;

/** What an operation answers. */
export type Data<Id extends OperationId> = Row<Id>["status"] extends keyof Responses<Id>
  ? Content<Responses<Id>[Row<Id>["status"]], "application/json">
  : never;

type ApiProblem<Id extends OperationId> = NonNullable<
  {
    [Status in keyof Responses<Id>]: Content<Responses<Id>[Status], "application/problem+json">;
  }[keyof Responses<Id>]
>;

/** The token or the key was refused, also after the token had been renewed, or there is none: sign in again, or create another key. */
export type Unauthorized = {
  readonly code: "unauthorized";
  readonly status: 401;
  readonly title: string;
  readonly detail: string;
  /** What the function `token` threw, if it did. */
  readonly cause?: unknown;
};

/** Only of keys: the key lacks the scope for this, or no key may do it. */
export type InsufficientScope = {
  readonly code: "insufficient_scope";
  readonly status: 403;
  readonly title: string;
  readonly detail: string;
  /** Null if no scope would do. */
  readonly required_scope: Schemas["Scope"] | null;
};

/** No answer of the API arrived. Unless the operation only reads, it may have been carried out. */
export type Unreachable = {
  readonly code: "unreachable";
  /**
   * - `network`: there was no connection, or it was lost
   * - `timeout`: there was no complete answer in time
   * - `aborted`: by the `signal` of the call
   * - `redirect`: the address answers with a redirect, which is not followed because the token would follow too
   * - `not_the_api`: something else answered, such as a proxy
   */
  readonly reason: "network" | "timeout" | "aborted" | "redirect" | "not_the_api";
  /** The status of what answered instead of the API; null if nothing did. */
  readonly status: number | null;
  readonly title: string;
  readonly detail: string;
  /** What `fetch` threw, if it did. */
  readonly cause?: unknown;
};

/** Why an operation failed. A later version of the API may have further codes. */
export type Problem<Id extends OperationId = OperationId> =
  | (Id extends OperationId ? ApiProblem<Id> : never)
  | Unauthorized
  | InsufficientScope
  | Unreachable;

export type Success<Type, Etag = string | null> = {
  readonly ok: true;
  readonly data: Type;
  /** The version, for `ifMatch`; null if what was read has none. */
  readonly etag: Etag;
  /** Identifies the request in the logs of the server. */
  readonly requestId: string | null;
};

export type Failure<Type> = {
  readonly ok: false;
  readonly problem: Type;
  /** Identifies the request in the logs of the server; null if it did not answer. */
  readonly requestId: string | null;
  /** After how many seconds the server asks to try again; null if it does not say. */
  readonly retryAfter: number | null;
};

type Etag<Id extends OperationId> = Row<Id>["hasEtag"] extends true ? string : null;

export type Result<Id extends OperationId> = Success<Data<Id>, Etag<Id>> | Failure<Problem<Id>>;

type AllKeys<Union> = Union extends unknown ? keyof Union : never;

/**
 * What may be passed for a member, or for each member of a union. What is optional may also be undefined. TypeScript lets an object mix the
 * shapes of a union; here, each excludes the members of the others.
 */
type Passed<Union, Keys extends PropertyKey = AllKeys<Union>> = Union extends unknown
  ? {
      [Key in keyof Union]: Partial<Pick<Union, Key>> extends Pick<Union, Key>
        ? Union[Key] | undefined
        : Union[Key];
    } & (Exclude<Keys, keyof Union> extends never
      ? unknown
      : { readonly [Key in Exclude<Keys, keyof Union>]?: never })
  : never;

type RawBody<Id extends OperationId> = operations[Id] extends {
  readonly requestBody?: { readonly content: { readonly "application/json": infer Type } };
}
  ? Type
  : never;

/** What an operation takes as its body. */
export type Body<Id extends OperationId> = Passed<RawBody<Id>>;

/** What an operation takes in its query. */
export type Query<Id extends OperationId> = Passed<NonNullable<operations[Id]["parameters"]["query"]>>;

/** Names the arguments. */
type IdArgument = {
  alias_id: [aliasId: string];
  blocked_sender_id: [blockedSenderId: string];
  contact_id: [contactId: string];
  key_id: [keyId: string];
  message_id: [messageId: string];
  recipient_id: [recipientId: string];
  webhook_id: [webhookId: string];
};

type IdArguments<Path extends string> =
  Path extends `${string}{${infer Name extends keyof IdArgument}}${infer Rest}`
    ? [...IdArgument[Name], ...IdArguments<Rest>]
    : [];

type Member<Type, Name extends PropertyKey> = Type extends { readonly [Key in Name]: infer Value }
  ? Value
  : never;

type InputArgument<Id extends OperationId> = Id extends keyof typeof ONLY_MEMBER
  ? [value: Member<Body<Id>, (typeof ONLY_MEMBER)[Id]>]
  : {
      nothing: [];
      query: Partial<Query<Id>> extends Query<Id> ? [query?: Query<Id>] : [query: Query<Id>];
      body: operations[Id] extends { readonly requestBody: unknown } ? [body: Body<Id>] : [body?: Body<Id>];
    }[Row<Id>["takes"]];

export type Options<Id extends OperationId> = {
  /** Aborts the request, and the pauses before it is repeated. */
  readonly signal?: AbortSignal | undefined;
} & (Row<Id>["takesIfMatch"] extends true
  ? {
      /** The `etag` of what was read: at any other version, nothing changes (`precondition_failed`). */
      readonly ifMatch?: string | undefined;
    }
  : unknown) &
  (Id extends Keyed
    ? {
        /**
         * 1 to 128 visible ASCII characters. Calls with the same key within 24 hours create one thing. By default, each call has its own, and
         * only its own repeats share it.
         */
        readonly idempotencyKey?: string | undefined;
      }
    : unknown);

/** The ids in the path, then the body or the query, then options. */
export type Arguments<Id extends OperationId> = [
  ...IdArguments<Row<Id>["path"]>,
  ...InputArgument<Id>,
  options?: Options<Id>,
];

export type Operation<Id extends OperationId> = (...input: Arguments<Id>) => Promise<Result<Id>>;

export type Operations = { readonly [Id in keyof typeof OPERATIONS]: Operation<Id> };
