import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A request as it arrived. */
export type Arrived = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** What happens to a request: `forward` lets it reach the API, and returns its answer. */
export type Fault = (
  response: ServerResponse,
  forward: () => Promise<{
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  }>,
) => unknown;

/** Loses the connection before the API has got the request. */
export const lost: Fault = (response) => response.destroy();

/** The API carries out the request, and the connection is lost in the middle of its answer. */
export const cut: Fault = async (response, forward) => {
  const { status, headers, body } = await forward();
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
};

/** Somebody else answers. */
export const reply =
  (status: number, headers: Record<string, string> = {}, body = ""): Fault =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** The API answers, and somebody changes the answer. */
export const changed =
  (change: (answer: { status: number; headers: Record<string, string>; body: string }) => void): Fault =>
  async (response, forward) => {
    const answer = await forward();
    change(answer);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };

const forwarded: Fault = changed(() => {});

/** A proxy before the API. */
export const startProxy = async (api: string) => {
  const arrived: Arrived[] = [];
  let planned: Fault[] | Fault = [];
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    arrived.push({ method, path, headers, body });
    const forward = async () => {
      const { host: _, connection: __, "content-length": ___, ...passed } = headers;
      const answer = await fetch(api + path, {
        method,
        headers: Object.entries(passed).map(([name, value]) => [name, `${value}`]),
        redirect: "manual",
        ...(body !== "" && { body }),
      });
      const {
        "transfer-encoding": ____,
        "content-length": _____,
        ...kept
      } = Object.fromEntries(answer.headers);
      return { status: answer.status, headers: kept, body: await answer.text() };
    };
    const fault = typeof planned === "function" ? planned : (planned.shift() ?? forwarded);
    await fault(response, forward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** What arrives while this runs. All requests meet the fault, or the first of them meet one fault each. */
    during: async <T>(faults: readonly Fault[] | Fault, act: () => Promise<T>) => {
      planned = typeof faults === "function" ? faults : [...faults];
      const from = arrived.length;
      const result = await act();
      if (planned.length > 0 && typeof planned !== "function") throw new Error("not all faults happened");
      planned = [];
      return { result, requests: arrived.slice(from) };
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
