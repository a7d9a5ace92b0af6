import type { Scope } from "@postern/core";
import type { InjectOptions } from "fastify";
import { expect, onTestFinished } from "vitest";
import { createKeysApi, type KeysApiOptions } from "../../src/index.ts";
import { assertDocumented } from "./conformance.ts";
import type { Issuer } from "./issuer.ts";
import { openWorld } from "./world.ts";

/** Fails unless these say in words what went wrong, where programs look for it. */
export const expectWords = (status: number, headers: object, body: unknown): void => {
  expect(headers).toMatchObject({ "content-type": expect.stringMatching(/^application\/problem\+json/) });
  expect(body).toEqual(
    expect.objectContaining({
      status,
      code: expect.any(String),
      error: expect.stringMatching(/^[A-Z]\w+( \w+)*$/),
      message: expect.stringMatching(/^[A-Z].* .*\.$/),
    }),
  );
};

/** A world, and its API for programs with keys. */
export const openKeysWorld = async (
  issuer: Issuer,
  options: NonNullable<Parameters<typeof openWorld>[1]> &
    Pick<KeysApiOptions, "trustedProxies" | "rateLimit" | "observer"> = {},
) => {
  const world = await openWorld(issuer, options);
  const { rateLimit, trustedProxies, observer } = options;
  const keysApi = createKeysApi({ postern: world.service, rateLimit, trustedProxies, observer });
  onTestFinished(async () => {
    await keysApi.close();
    await world.api.close();
  });

  /** A new key as JSON, with its secret. */
  const newKey = async (
    scopes: readonly Scope[],
    { owner = "alice", ...more }: { owner?: string; expires?: number } = {},
  ) => {
    const body = { name: "Program", scopes, ...more };
    const created = await world.call("POST", "/keys", { as: owner, body });
    expect(created).toMatchObject({ status: 201 });
    return created.body;
  };

  /**
   * Calls the API for programs with this key, or none. Fails unless a success is as in the OpenAPI document, and a failure says in words what
   * is wrong.
   */
  const use = async (
    secret: string | null,
    method: NonNullable<InjectOptions["method"]>,
    url: string,
    {
      body,
      headers = {},
      from = "192.0.2.1",
    }: { body?: unknown; headers?: Record<string, string>; from?: string } = {},
  ) => {
    const response = await keysApi.inject({
      method,
      url,
      remoteAddress: from,
      headers: {
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const { statusCode: status } = response;
    const received = response.body === "" ? "" : response.json();
    if (status < 400) assertDocumented(method, url, response);
    else if (method !== "HEAD") expectWords(status, response.headers, received);
    return { status, headers: response.headers, body: received };
  };

  return { ...world, keysApi, newKey, use };
};
