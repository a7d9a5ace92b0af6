import { createApi, gatewayAuthorizer } from "@postern/adapter-http";
import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import type { Response } from "light-my-request";
import { describe, expect, test } from "vitest";
import { stopClock } from "../../adapter-http/test/support/stop-clock.ts";
import type { LambdaResponse } from "../src/index.ts";
import { GATEWAYS, grouped } from "./support/gateways.ts";
import {
  AUDIENCE,
  AWS_REQUEST_ID,
  bearer,
  claimsWith,
  contextWith,
  ISSUER,
  newHandler,
  newService,
} from "./support/lambda.ts";
import { type WireRequest, wireRequest } from "./support/wire-request.ts";

const REQUESTS = runsWhole(import.meta.url) ? 3_000 : 300;

const corsOrigins = ["https://app.example"];

/** The API as a server, behind the same gateway. */
const newApi = (claims: unknown) =>
  createApi({
    postern: newService(),
    authorizer: gatewayAuthorizer({ issuer: ISSUER, audience: AUDIENCE, claims: () => claims }),
    corsOrigins,
  });

/** What a client sees of a response. `Date` and a new id differ each time. */
type Seen = { status: number; headers: Record<string, string>; body: string };

const seen = (status: number, headers: Record<string, unknown>, body: Buffer): Seen => {
  const { date, connection, ...others } = headers;
  const text = Object.entries(others).map(([name, value]) => [name, [value].flat().join(", ")]);
  return { status, headers: Object.fromEntries(text), body: body.toString("latin1") };
};

const seenDirectly = ({ statusCode, headers, rawPayload }: Response, id: string | undefined): Seen =>
  seen(statusCode, { ...headers, "x-request-id": id ?? AWS_REQUEST_ID }, rawPayload);

const seenFromLambda = ({ statusCode, headers, multiValueHeaders, ...content }: LambdaResponse): Seen =>
  seen(
    statusCode,
    multiValueHeaders ?? headers ?? {},
    Buffer.from(content.body, content.isBase64Encoded ? "base64" : "utf8"),
  );

/** The id that the client has chosen, if it is well formed and the only one. */
const chosenId = ({ headers }: WireRequest): string | undefined => {
  const [id, ...others] = headers.filter(([name]) => name === "X-Request-Id").map(([, value]) => value);
  return others.length === 0 && /^[\w.-]{1,64}$/.test(id ?? "") ? id : undefined;
};

describe.each(Object.entries(GATEWAYS))("%s", (_, gateway) => {
  test("leads to the same response as the request made directly", async () => {
    stopClock();
    const claims = claimsWith();
    // Both get the same requests, so their stores stay the same.
    const [api, handle] = [newApi(claims), newHandler({ corsOrigins })];
    await fc.assert(
      fc.asyncProperty(
        wireRequest,
        fc.record({
          isKnown: fc.boolean(),
          inBase64: fc.boolean(),
          stage: fc.constantFrom("prod", "$default", "v1"),
        }),
        async (request, { isKnown, ...passed }) => {
          const authorization = isKnown ? [["Authorization", bearer(claims)] as const] : [];
          const headers = [...request.headers, ...authorization];
          const { method, path, query, body } = request;
          const direct = await api.inject({
            method: method as "GET",
            url: query === "" ? path : `${path}?${query}`,
            headers: grouped(headers.map(([name, value]) => [name.toLowerCase(), value])),
            ...(body !== null && { payload: body }),
          });
          const event = gateway({ ...request, headers }, { claims, ...passed });
          const answered = await handle(JSON.parse(JSON.stringify(event)), contextWith());
          expect(seenFromLambda(answered)).toEqual(seenDirectly(direct, chosenId(request)));
        },
      ),
      { numRuns: REQUESTS },
    );
    await api.close();
  });
});
