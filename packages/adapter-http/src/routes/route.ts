import type {
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  getAlias,
  getRecipient,
  listAliases,
  listRecipients,
  reassignRecipient,
  replaceRecipients,
  resendVerification,
  restoreAlias,
  Store,
  updateAlias,
  updateRecipient,
  verifyRecipient,
} from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { ProblemCode } from "../problems/failure.ts";

/** What the routes call; each is what the core's function of that name returns. */
export type UseCases = {
  readonly replaceRecipients: ReturnType<typeof replaceRecipients>;
  readonly createAlias: ReturnType<typeof createAlias>;
  readonly getAlias: ReturnType<typeof getAlias>;
  readonly listAliases: ReturnType<typeof listAliases>;
  readonly updateAlias: ReturnType<typeof updateAlias>;
  readonly deleteAlias: ReturnType<typeof deleteAlias>;
  readonly restoreAlias: ReturnType<typeof restoreAlias>;
  readonly addRecipient: ReturnType<typeof addRecipient>;
  readonly verifyRecipient: ReturnType<typeof verifyRecipient>;
  readonly getRecipient: ReturnType<typeof getRecipient>;
  readonly listRecipients: ReturnType<typeof listRecipients>;
  readonly updateRecipient: ReturnType<typeof updateRecipient>;
  readonly deleteRecipient: ReturnType<typeof deleteRecipient>;
  readonly resendVerification: ReturnType<typeof resendVerification>;
  readonly reassignRecipient: ReturnType<typeof reassignRecipient>;
};

type RouteContext = {
  readonly useCases: UseCases;
  readonly health: Store["ping"];
  /** The prefix the route is reached under, for links to others. */
  readonly prefix: string;
};

/** A schema, and what the OpenAPI document calls it. */
export type Named = { readonly name: string; readonly schema: z.ZodType };

type Success =
  | (Named & {
      readonly status: 200 | 201;
      readonly description: string;
      readonly headers?: readonly ("ETag" | "Location")[];
    })
  | { readonly status: 204; readonly description: string };

/** One operation: what it does, and what the OpenAPI document says of it. */
export type Route = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it: `/aliases/{alias_id}`. */
  readonly path: string;
  /** Whether anybody may call it, without a token. */
  readonly open: boolean;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly ifMatch?: true;
  /** What a PATCH takes is a JSON Merge Patch. */
  readonly body?: Named & { readonly optional?: true };
  readonly success: Success;
  /** Whether a browser that asks for text/html gets a page in place of JSON. */
  readonly page?: true;
  /** The problems peculiar to it; those that every route, or every body, can have are added. */
  readonly problems: readonly ProblemCode[];
  readonly handler: (
    context: RouteContext,
  ) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
};
