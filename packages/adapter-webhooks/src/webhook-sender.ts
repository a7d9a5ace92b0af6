import { request } from "node:https";
import type { Clock, Delivery, WebhookEvent, WebhookSending } from "@postern/core";
import { RequestFilteringHttpsAgent } from "request-filtering-agent";
import { publicLookup } from "./lookup.ts";
import { Interrupted, Late, reasonOf } from "./reason.ts";
import { signature } from "./signature.ts";

export type WebhookSenderSettings = {
  /** The body of an event, in JSON. Must not throw. */
  readonly format: (event: WebhookEvent) => string;
  /** How long a request may take until its response begins, including the name lookup, in milliseconds; 15,000 by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether webhooks can be in private networks, and on this machine. False by default: otherwise anyone with a webhook could send
   * requests to systems that only this server reaches.
   */
  readonly allowPrivateNetworks?: boolean | undefined;
  /** The certificate authorities that are trusted instead of those of Node.js, in PEM. */
  readonly ca?: string | null | undefined;
  /** A name server, such as `127.0.0.1:53`; null for the system's. */
  readonly dns?: string | null | undefined;
  /** For the time in signatures; the system clock by default. */
  readonly clock?: Pick<Clock, "now"> | undefined;
};

export type WebhookSender = WebhookSending & {
  /** Interrupts the requests under way, which then count as `failed`. Idempotent. */
  close(): void;
};

const TIMEOUT_MS = 15_000;

/**
 * Posts events to webhooks over HTTPS, signed as Standard Webhooks specifies.
 *
 * - `delivered` if the response was 2xx, `gone` if it was 410. Everything else is `failed`: redirects are not followed. Never rejects.
 * - A response must begin within 15 seconds, including the name lookup. The rest of the response is not read, and the connection
 *   is closed.
 * - Connects to public addresses only, unless `allowPrivateNetworks`. The addresses that a name has just been resolved to are checked and
 *   then connected to, so changing them in the meantime does not help. If one of them is not public, none is connected to.
 * - Nothing is logged. The reason for a failure contains at most the status and the code of an error: nothing else that the other server
 *   has sent.
 *
 * @throws TypeError if `dns` is malformed
 * @example
 * ```ts
 * const webhookSending = webhookSender({ format: ({ type }) => JSON.stringify({ type }) });
 * const service = postern({ store, aliasDomains, verificationMail, webhookSending, ...nodePorts({ linkSecrets }) });
 * // When the service stops:
 * webhookSending.close();
 * ```
 */
export const webhookSender = ({
  format,
  timeoutMs = TIMEOUT_MS,
  allowPrivateNetworks = false,
  ca = null,
  dns = null,
  clock = Date,
}: WebhookSenderSettings): WebhookSender => {
  // Half of the time, which leaves the other half to connect if one of the two kinds of addresses cannot be looked up.
  const { lookup, close } = publicLookup(dns, timeoutMs / 2, allowPrivateNetworks);
  const agent = new RequestFilteringHttpsAgent({
    // It is impossible to tell whether an idle connection still works. A request that fails on one would count as a failure of the webhook.
    keepAlive: false,
    lookup,
    autoSelectFamily: true,
    // For each address but the last. Some servers are farther away than Node's default of 250 milliseconds.
    autoSelectFamilyAttemptTimeout: timeoutMs / 5,
    allowPrivateIPAddress: allowPrivateNetworks,
    ...(ca === null ? {} : { ca }),
  });
  /** Each ends a request under way. */
  const running = new Set<(error: Error) => void>();

  const post = (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Delivery> => {
    const { promise: delivery, resolve } = Promise.withResolvers<Delivery>();
    const posted = request(url, { method: "POST", agent, headers });
    const end = (result: Delivery) => {
      clearTimeout(deadline);
      running.delete(fail);
      resolve(result);
      posted.destroy();
    };
    const fail = (error: Error) => end({ code: "failed", reason: reasonOf(error, posted.socket) });
    const deadline = setTimeout(() => fail(new Late(timeoutMs)), timeoutMs);
    running.add(fail);
    posted.on("response", ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode < 300) end({ code: "delivered" });
      else end({ code: statusCode === 410 ? "gone" : "failed", reason: `responded ${statusCode}` });
    });
    posted.on("error", fail);
    // Closed without an error, such as when the other server wants to switch protocols.
    posted.on("close", () => fail(new Error("closed")));
    posted.end(body);
    return delivery;
  };

  return {
    send: (webhook, event) => {
      const body = format(event);
      const timestamp = Math.floor(clock.now() / 1_000);
      const headers = {
        "content-type": "application/json",
        "user-agent": "Postern",
        "webhook-id": event.id,
        "webhook-timestamp": `${timestamp}`,
        "webhook-signature": signature(webhook.secret, event.id, timestamp, body),
      };
      return post(webhook.url, headers, body);
    },
    close: () => {
      for (const fail of running) fail(new Interrupted());
      close();
    },
  };
};
