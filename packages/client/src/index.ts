export { type Client, type ClientSettings, createClient } from "./client.ts";
export { type ParsedEvent, parseEvent, type WebhookEvent } from "./event.ts";
export type { Item, Listed, ListId, Lists } from "./lists.ts";
export type {
  Arguments,
  Body,
  Data,
  Failure,
  InsufficientScope,
  Operation,
  OperationId,
  Operations,
  Options,
  Problem,
  Query,
  Result,
  Schemas,
  Success,
  Unauthorized,
  Unreachable,
} from "./operations.ts";
export type { ReassignAll, Reassigned } from "./reassign-all.ts";
export { ClientError, type ThrowingClient, throwing } from "./throwing.ts";
export type { AskForToken } from "./tokens.ts";
