import type { PortResult } from "../ports/port-result.ts";
import type { SpoolId } from "../values/identifiers.ts";
import type { Resend } from "./resend.ts";

/**
 * Requests to send messages again, kept until the servers whose spools have the messages have done so. Requests more than
 * 7 days old (`RESEND_RETENTION`) and requests for erased aliases may be missing.
 */
export type Resends = {
  /** Stores the request, unless a later one for the same message of the alias in the same spool is already stored. */
  request(resend: Resend, timeLeft?: number): PortResult<void>;

  /** Up to `limit` requests for the spool, in any order. Sees every write that completed before the call. */
  list(spool: SpoolId, limit: number, timeLeft?: number): PortResult<readonly Resend[]>;

  /** Removes the request, unless it has since been made again. Idempotent. */
  finish(resend: Resend, timeLeft?: number): PortResult<void>;
};
