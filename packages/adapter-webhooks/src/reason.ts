import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { NotPublic, NotResolved } from "./lookup.ts";

/** A request was ended because it took too long. */
export class Late extends Error {
  readonly seconds: number;

  constructor(timeoutMs: number) {
    super("the request took too long");
    this.seconds = timeoutMs / 1_000;
  }
}

/** A request was ended because nobody is waiting for it anymore. */
export class Interrupted extends Error {}

/** The format of Node's error codes. Anything else could be text from the other server. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

const withCode = (reason: string, error: Error): string => {
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && CODE.test(code) ? `${reason} (${code})` : reason;
};

/** request-filtering-agent has no code for this. */
const isOfFilter = ({ message }: Error): boolean => /^DNS lookup .+ is not allowed\./.test(message);

/**
 * Why an event could not be delivered, for the owner of the webhook. Contains nothing that the other server has sent.
 *
 * @param socket that of the request, if there was one yet
 */
export const reasonOf = (error: Error, socket: Socket | null): string => {
  const isConnected = socket instanceof TLSSocket && socket.authorized;
  if (error instanceof Interrupted) return "was interrupted: the server that sends events is stopping";
  if (error instanceof Late)
    return `${isConnected ? "did not respond" : "could not connect"} within ${error.seconds} seconds`;
  if (error instanceof NotPublic || isOfFilter(error)) return "its address is in a private network";
  if (error instanceof NotResolved) return withCode("its name could not be resolved", error);
  if (isConnected) return withCode("its response is not valid", error);
  const isDistrusted = socket instanceof TLSSocket && Boolean(socket.authorizationError);
  return withCode(isDistrusted ? "its certificate is not valid" : "could not connect", error);
};
