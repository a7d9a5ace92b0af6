import type { IncomingMessage } from "node:http";

const contexts = new WeakMap<IncomingMessage, unknown>();

/** What the application has passed along with a request; undefined if nothing. */
export const contextOf = (request: IncomingMessage): unknown => contexts.get(request);

/** Passes something along with a request, for the authorizer. */
export const passContext = (request: IncomingMessage, context: unknown): void => {
  contexts.set(request, context);
};
