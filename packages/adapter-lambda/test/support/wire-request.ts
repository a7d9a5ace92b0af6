import fc from "fast-check";

/** A request as a client sends it. */
export type WireRequest = {
  readonly method: string;
  /** Encoded, without a query. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
};

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 6 })
  .filter((text) => text.isWellFormed());

/** Without `/`, `%` and `?`, which an HTTP API changes the meaning of when it decodes the path. */
const segment = fc.oneof(
  fc.constantFrom("aliases", "recipients", "recipient-000001", "alias-000002", "v1"),
  word
    .filter((text) => !/[/%?]/.test(text) && !/^\.+$/.test(text))
    .map((text) => encodeURI(text).replaceAll("#", "%23")),
);

/** Routes that exist, and anything else. */
const target = fc.oneof(
  fc.constantFrom(
    ["POST", "/v1/recipients"] as const,
    ["GET", "/recipients"] as const,
    ["GET", "/aliases"] as const,
    ["HEAD", "/v1/service"] as const,
    ["PATCH", "/recipients/recipient-000001"] as const,
    ["GET", "/recipients/verify"] as const,
    ["OPTIONS", "/aliases"] as const,
  ),
  fc.tuple(
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
  ),
);

const value = fc.oneof(fc.constantFrom("a,b", "a/b", "a+b", "100%", "", "true", "1", "a b", "&=?#"), word);

/** As browsers encode it, or as forms do. Not `__proto__`: nothing reads JSON safely and keeps this name. */
const parameter = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("q", "limit", "active", "token"),
      word.filter((name) => name !== "__proto__"),
    ),
    value,
    fc.boolean(),
  )
  .map(([name, value, asForm]) =>
    asForm
      ? String(new URLSearchParams([[name, value]]))
      : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );

/** Those that can be given several times. */
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom("Accept", "accept", "Accept-Language", "X-Request-Id", "X-Mine", "X-Forwarded-For"),
    fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
  ),
  fc.constantFrom(
    ["Accept", "text/html"] as const,
    ["X-Request-Id", "mine-1"] as const,
    ["Cookie", "a=1"] as const,
    ["Cookie", "b=2"] as const,
  ),
);

/** Those that can be given once. */
const headerOnce = fc.constantFrom(["Origin", "https://app.example"] as const, ["If-Match", '"1"'] as const);

const body = fc.oneof(
  fc.constant('{"recipient_email":"me@mail.example"}').map(Buffer.from),
  fc.constant('{"active":false}').map(Buffer.from),
  fc.json().map(Buffer.from),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map(Buffer.from),
);

/** Any request that a gateway lets through. */
export const wireRequest: fc.Arbitrary<WireRequest> = fc
  .record({
    target,
    parameters: fc.array(parameter, { maxLength: 3 }),
    headers: fc.array(header, { maxLength: 4 }),
    once: fc.option(headerOnce),
    type: fc.constantFrom("application/json", "application/merge-patch+json", "text/plain"),
    sent: fc.option(body),
  })
  .map(({ target: [method, path], parameters, headers, once, type, sent }) => {
    const body = method === "GET" || method === "HEAD" ? null : sent;
    return {
      method,
      path,
      query: parameters.join("&"),
      headers: [
        ["Host", "api.example"],
        ...headers,
        ...(once ? [once] : []),
        ...(body ? [["Content-Type", type] as const] : []),
      ],
      body,
    };
  });
