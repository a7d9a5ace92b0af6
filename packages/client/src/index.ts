export type {
  AskForToken,
  Client,
  ClientSettings,
  Item,
  Listed,
  ListId,
  Lists,
  Reassigned,
} from "./client.ts";
export type {
  Arguments,
  Body,
  Data,
  Failure,
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
export { ClientError, type ThrowingClient } from "./throwing.ts";
