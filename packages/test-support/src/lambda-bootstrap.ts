import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/*
 * Runs a function as the runtime nodejs24.x of AWS Lambda does, which is a program of its own: loads the handler that _HANDLER names, then
 * gets one event after the other from the Runtime API, and hands the answers over. It tells how much CPU time loading has taken.
 */

const { AWS_LAMBDA_RUNTIME_API = "", LAMBDA_TASK_ROOT = "", _HANDLER = "" } = process.env;
const [host = "", port = ""] = AWS_LAMBDA_RUNTIME_API.split(":");
const [file = "", name = ""] = _HANDLER.split(".");

/** Epoch milliseconds, whatever time the function has. */
// biome-ignore lint/plugin: it tells the function how much time it has left
const now = (): number => performance.timeOrigin + performance.now();

/** Not the one that the function uses. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const call = async (method: "GET" | "POST", path: string, body: object | undefined, headers = {}) =>
  new Promise<{ readonly headers: IncomingHttpHeaders; readonly body: string }>((resolve, reject) => {
    const target = { host, port, agent, method, path: `/2018-06-01/runtime/${path}`, headers };
    request(target, async (response) => resolve({ headers: response.headers, body: await text(response) }))
      .on("error", reject)
      .end(body && JSON.stringify(body));
  });

const described = (thrown: unknown): object =>
  thrown instanceof Error
    ? { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split("\n") }
    : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };

type Handler = (event: unknown, context: object) => unknown;

const isHandler = (value: unknown): value is Handler => typeof value === "function";

const load = async (): Promise<Handler> => {
  const module: object = await import(pathToFileURL(join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href);
  const handler: unknown = Reflect.get(module, name);
  if (!isHandler(handler)) throw new Error(`${_HANDLER} is not a function`);
  return handler;
};

const before = process.cpuUsage();
let handler: Handler;
try {
  handler = await load();
} catch (thrown) {
  await call("POST", "init/error", described(thrown));
  process.exit(1);
}
// Until it waits for something.
await setImmediate();
const { user, system } = process.cpuUsage(before);
const loading = { "x-loading-cpu-ms": (user + system) / 1_000 };

for (;;) {
  const { headers, body } = await call("GET", "invocation/next", undefined, loading);
  const id = String(headers["lambda-runtime-aws-request-id"]);
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - now() };
  try {
    const answer = await handler(JSON.parse(body), context);
    await call("POST", `invocation/${id}/response`, Object(answer));
  } catch (thrown) {
    await call("POST", `invocation/${id}/error`, described(thrown));
  }
}
