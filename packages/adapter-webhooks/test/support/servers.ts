import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { newCertificate } from "@postern/test-support/certificate";
import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";

const directory = newDirectory();

/** The name of the servers below. */
export const NAME = "receiver.example";

const ours = newCertificate(directory, 2, NAME);
const another = newCertificate(directory, 3, "another.example");

/** `ours`, but valid only until yesterday. */
const expired = () => {
  const resigned = ["-in", ours.file, "-signkey", ours.keyFile, "-days", "-1"];
  const cert = execFileSync("openssl", ["x509", ...resigned], { stdio: ["ignore", "pipe", "ignore"] });
  return { cert, key: ours.key };
};

export const certificates = { ours, another, expired: expired() };

/** The certificates above, which stand in for those of authorities. */
export const ca = [ours.cert, another.cert, certificates.expired.cert].join("\n");

export type RunningServer = {
  readonly port: number;
  /** How many connections there have been, and how many of them are open. */
  readonly connections: () => { readonly all: number; readonly open: number };
};

const listen = async (server: Server): Promise<RunningServer> => {
  const sockets = new Set<Socket>();
  let all = 0;
  server.on("connection", (socket: Socket) => {
    all += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return { port: address.port, connections: () => ({ all, open: sockets.size }) };
};

/** A TCP server that handles connections with `talk`. Stops with the test. */
export const startTcpServer = (talk: (socket: Socket) => void): Promise<RunningServer> =>
  listen(createServer((socket) => talk(socket.resume())));

/** A TLS server that handles connections with `talk`, after the handshake. Stops with the test. */
export const startTlsServer = (
  talk: (socket: TLSSocket) => void,
  { cert, key }: { readonly cert: Buffer; readonly key: Buffer } = ours,
): Promise<RunningServer> => {
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on("error", () => {});
    talk(socket.resume());
  });
  // Some tests are about clients that reject the certificate.
  server.on("tlsClientError", () => {});
  return listen(server);
};

/** A TLS server that responds with `response` as soon as a request has begun. */
export const startRespondingServer = (response: string): Promise<RunningServer> =>
  startTlsServer((socket) => void socket.once("data", () => socket.write(response)));

/** A name server that knows `NAME`, which is on loopback, and the names in `zone`. Stops with the test. */
export const startDns = async (zone: FakeZone = {}) => {
  const dns = await startFakeDns({ [NAME]: { A: ["127.0.0.1"] }, ...zone });
  onTestFinished(() => dns.close());
  return { ...dns, address: `127.0.0.1:${dns.port}` };
};
