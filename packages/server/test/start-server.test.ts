import { ok } from "neverthrow";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { readConfiguration } from "../src/configuration/configuration.ts";
import { startServer } from "../src/start-server.ts";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";

const quiet = { ...environment, POSTERN_LOG_LEVEL: "silent" };

afterEach(() => vi.useRealTimers());

test("mails through what it was given, and stops once however often it is asked to", async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const configuration = readConfiguration({ ...quiet, POSTERN_ISSUER: provider.issuer })._unsafeUnwrap();
  const send = vi.fn(async () => ok());
  const server = (await startServer(configuration, { verificationMail: { send } }))._unsafeUnwrap();

  const answer = await fetch(`${server.url}/recipients`, {
    method: "POST",
    headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
    body: JSON.stringify({ recipient_email: "ada@example.com" }),
  });
  expect(answer.status).toBe(201);
  expect(send).toHaveBeenCalledExactlyOnceWith({ to: "ada@example.com", token: expect.any(String) });

  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

test("cuts off after 10 seconds what does not finish", async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const configuration = readConfiguration({ ...quiet, POSTERN_ISSUER: provider.issuer })._unsafeUnwrap();
  const { promise: stuck, resolve: stick } = Promise.withResolvers<void>();
  const verificationMail = {
    send: () => {
      stick();
      return new Promise<never>(() => {});
    },
  };
  const server = (await startServer(configuration, { verificationMail }))._unsafeUnwrap();
  const running = fetch(`${server.url}/recipients`, {
    method: "POST",
    headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
    body: JSON.stringify({ recipient_email: "ada@example.com" }),
  }).catch(() => "cut off");
  await stuck;

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let stopped = false;
  const stop = server.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await stop;
  expect(await running).toBe("cut off");
});

test("says which address it cannot listen on", async () => {
  const first = (await startServer(readConfiguration(quiet)._unsafeUnwrap()))._unsafeUnwrap();
  onTestFinished(first.stop);
  const { port } = new URL(first.url);
  const second = await startServer(readConfiguration({ ...quiet, PORT: port })._unsafeUnwrap());
  expect(second._unsafeUnwrapErr()).toEqual({
    code: "cannot_listen",
    what: "api",
    host: "127.0.0.1",
    port: Number(port),
    reason: "EADDRINUSE",
  });
});
