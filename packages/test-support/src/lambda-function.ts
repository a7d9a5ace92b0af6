import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const BOOTSTRAP = fileURLToPath(new URL("./lambda-bootstrap.ts", import.meta.url));

const LambdaError = z.looseObject({ errorType: z.string(), errorMessage: z.string() });

/** What became of an invocation: what the handler returned, or why there is nothing. */
export type Invoked =
  | { readonly returned: unknown }
  | { readonly error: Pick<z.output<typeof LambdaError>, "errorType" | "errorMessage"> };

/** An instance of a function, in a process of its own. */
export type LambdaFunction = {
  readonly pid: number | undefined;
  /** Invokes it with an event. Invocations wait for each other, as an instance has one at a time. */
  invoke(event: unknown): Promise<Invoked>;
  /** Freezes the process, as Lambda can whenever there is no invocation. */
  freeze(): void;
  thaw(): void;
  /** How much CPU time it took to load the program, in milliseconds; NaN if that failed. */
  readonly loadingCpuMs: number;
  /** Everything that it has written so far. */
  output(): string;
  /** Ends it, and returns everything that it has written. */
  stop(): Promise<string>;
};

type Settings = {
  /** The folder with the program. */
  readonly folder: string;
  /** Such as `index.api`. */
  readonly handler: string;
  readonly variables: Readonly<Record<string, string>>;
  /** How long an invocation may take, in milliseconds, before the process is ended; half a minute by default. */
  readonly timeoutMs?: number;
  /** The Node that runs it, and its options; the one that runs this by default. */
  readonly node?: readonly [program: string, ...options: string[]];
};

type Pending = { readonly id: string; readonly event: unknown; readonly resolve: (invoked: Invoked) => void };

const NEXT = /\/invocation\/next$/;
const ANSWERED = /\/invocation\/([^/]+)\/(response|error)$/;

/**
 * Starts an instance of a function, with the Runtime API of AWS Lambda on a loopback port, as far as the runtimes of Node.js use it.
 * Resolves once the program is loaded, or has failed to.
 */
export const startLambdaFunction = async ({
  folder,
  handler,
  variables,
  timeoutMs = 30_000,
  node: [program, ...options] = [process.execPath],
}: Settings): Promise<LambdaFunction> => {
  const waiting: Pending[] = [];
  let running: (Pending & { readonly timer: NodeJS.Timeout }) | undefined;
  /** The request for the next event; undefined unless the function is idle. */
  let idle: ServerResponse | undefined;
  const loaded = Promise.withResolvers<number>();
  let output = "";
  /** Why there are no more answers. */
  let ended: Invoked | undefined;

  const end = (invoked: Invoked): void => {
    if (running === undefined) return;
    clearTimeout(running.timer);
    running.resolve(invoked);
    running = undefined;
  };
  const begin = (): void => {
    const next = idle === undefined ? undefined : waiting.shift();
    if (next === undefined) return;
    const timer = setTimeout(() => {
      end({ error: { errorType: "Sandbox.Timedout", errorMessage: `Task timed out after ${timeoutMs} ms` } });
      instance.kill("SIGKILL");
    }, timeoutMs);
    running = { ...next, timer };
    idle?.setHeader("lambda-runtime-aws-request-id", next.id);
    idle?.setHeader("lambda-runtime-deadline-ms", Date.now() + timeoutMs);
    idle?.end(JSON.stringify(next.event));
    idle = undefined;
  };

  const api = createServer(async (request, response) => {
    const { url = "", headers } = request;
    const body = await text(request);
    const [, id, kind] = ANSWERED.exec(url) ?? [];
    if (NEXT.test(url)) {
      loaded.resolve(Number(headers["x-loading-cpu-ms"]));
      idle = response;
      return begin();
    }
    if (id !== undefined && id === running?.id) {
      end(
        kind === "response" ? { returned: JSON.parse(body) } : { error: LambdaError.parse(JSON.parse(body)) },
      );
    } else if (url.endsWith("/init/error")) ended = { error: LambdaError.parse(JSON.parse(body)) };
    response.writeHead(202).end("{}");
  });
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");

  const instance = spawn(program, [...options, BOOTSTRAP], {
    env: {
      ...variables,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${address.port}`,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: handler,
    },
  });
  for (const stream of [instance.stdout, instance.stderr]) {
    stream.setEncoding("utf8").on("data", (written: string) => {
      output += written;
    });
  }
  const closed = once(instance, "close").then(() => {
    ended ??= { error: { errorType: "Runtime.ExitError", errorMessage: "the process has ended" } };
    loaded.resolve(Number.NaN);
    end(ended);
    for (const { resolve } of waiting.splice(0)) resolve(ended);
    api.close();
    api.closeAllConnections();
  });

  return {
    pid: instance.pid,
    invoke: (event) => {
      if (ended !== undefined) return Promise.resolve(ended);
      const { promise, resolve } = Promise.withResolvers<Invoked>();
      waiting.push({ id: randomUUID(), event, resolve });
      begin();
      return promise;
    },
    freeze: () => void instance.kill("SIGSTOP"),
    thaw: () => void instance.kill("SIGCONT"),
    loadingCpuMs: await loaded.promise,
    output: () => output,
    stop: async () => {
      instance.kill("SIGKILL");
      await closed;
      return output;
    },
  };
};
