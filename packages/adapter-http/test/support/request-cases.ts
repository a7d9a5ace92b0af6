import { describe, expect, test } from "vitest";
import type { Bytes, useServer } from "./use-server.ts";
import type { WireResponse } from "./wire.ts";

/** A request as bytes, and the status and code of its response; the code is null if the request succeeds. */
export type RequestCase = readonly [
  name: string,
  status: number,
  code: string | null,
  bytes: () => Bytes | readonly Bytes[],
];

export const expectProblem = ({ statusCode, headers, body }: WireResponse, code: string): void => {
  expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  const problem: unknown = JSON.parse(body);
  expect(problem).toMatchObject({
    type: `urn:postern:problem:${code}`,
    title: expect.any(String),
    status: statusCode,
    detail: expect.any(String),
    instance: expect.any(String),
    code,
  });
  expect(body).not.toContain("new@mail.example");
  expect(body.length).toBeLessThan(17_000);
};

/**
 * Tests that each request gets the response listed with it and changes nothing, and that the server keeps responding.
 *
 * @param atLeast the minimum number of requests in all tables
 */
export const testRequests = (
  { send, unchanged }: ReturnType<typeof useServer>,
  tables: Readonly<Record<string, readonly RequestCase[]>>,
  atLeast: number,
): void => {
  test(`the tables have at least ${atLeast} rows`, () => {
    expect(Object.values(tables).flat().length).toBeGreaterThanOrEqual(atLeast);
  });

  describe.each(Object.entries(tables))("%s:", (_, cases) => {
    test.each(cases)("%s → %s %s", async (_name, status, code, bytes) => {
      const { responses } = await unchanged(() => send(bytes()));
      expect(responses.map(({ statusCode, body }) => [statusCode, body.slice(0, 300)])).toMatchObject([
        [status, expect.anything()],
      ]);
      const [response] = responses;
      if (response === undefined) throw new Error("There was no response");
      if (code !== null) expectProblem(response, code);
      if (status === 405) expect(response.headers["allow"]).toMatch(/GET/);
    });
  });
};
