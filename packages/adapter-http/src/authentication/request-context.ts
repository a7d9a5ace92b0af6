import type { IncomingMessage } from "node:http";

const contexts = new WeakMap<IncomingMessage, unknown>();

/** The context that the application has attached to a request; undefined if none. */
export const contextOf = (request: IncomingMessage): unknown => contexts.get(request);

/** Attaches a context to a request, for the authorizer. */
export const passContext = (request: IncomingMessage, context: unknown): void => {
  contexts.set(request, context);
};
