import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { newCertificate } from "./certificate.ts";
import { startFakeDns } from "./fake-dns.ts";
import { newDirectory } from "./new-directory.ts";

/** The name of the receiver, which only its own name server knows. */
const NAME = "receiver.example";

export type ReceivedEvent = {
  /** Such as `/webhook`, with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The `webhook-id`. */
  readonly id: string;
  /**
   * The body, parsed.
   *
   * @throws WebhookVerificationError if it is not signed with this secret, or was not within the last five minutes
   */
  verified(secret: string): unknown;
};

/** Somebody's service on loopback that is told about events. */
export type WebhookReceiver = {
  /** The URL of a webhook. Any other path works, too. */
  readonly url: string;
  /** The certificate authority that issued its certificate, in PEM, and a file with it. */
  readonly ca: string;
  readonly caFile: string;
  /** The name server that knows its name, such as `127.0.0.1:5353`. */
  readonly dns: string;
  /** Everything that was posted to it, the oldest first. */
  readonly received: readonly ReceivedEvent[];
  /** From now on, it responds with this status; 204 at first. */
  respondWith(status: number): void;
  close(): Promise<void>;
};

/** That of all receivers: making one takes as long as starting a server. */
let certificate: ReturnType<typeof newCertificate> | undefined;

/** Responds as soon as it has received a request. It does not verify anything by itself: secrets are made after it is started. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  certificate ??= newCertificate(newDirectory(), 2, NAME);
  const { cert, key } = certificate;
  const caFile = join(newDirectory(), "ca.crt");
  writeFileSync(caFile, cert);
  const received: ReceivedEvent[] = [];
  let status = 204;

  const server = createServer({ cert, key }, async (request, response) => {
    const { url: path = "/", method, headers } = request;
    if (method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const body = await text(request);
    const verified = (secret: string) => {
      const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
      const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
      return new Webhook(secret).verify(body, signed);
    };
    received.push({ path, headers, body, id: String(headers["webhook-id"]), verified });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  const dns = await startFakeDns({ [NAME]: { A: ["127.0.0.1"] } });

  return {
    url: `https://${NAME}:${address.port}/webhook`,
    ca: cert.toString(),
    caFile,
    dns: `127.0.0.1:${dns.port}`,
    received,
    respondWith: (next) => {
      status = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await dns.close();
    },
  };
};
