import { isNonEmpty } from "@postern/core";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { PROBLEM_CODES } from "../../src/problems/problem.ts";
import { problemWith } from "../../src/problems/problem-schema.ts";
import { at, type Described, isDescribed, membersOf, OPERATIONS, resolved } from "./described.ts";

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
/** For headers, which are text. */
const lenient = new Ajv2020({ strict: true, coerceTypes: true });
addFormats.default(lenient);

const listOf = (value: unknown): readonly Described[] =>
  Array.isArray(value) ? value.filter(isDescribed) : [];

/**
 * A schema of answers as strict as this version can be. The document leaves answers open, because later versions may add members and values;
 * this one must send nothing that the document does not name.
 */
const strict = (schema: Described, isPart = false): Described => {
  const { discriminator: _, examples: __, allOf, anyOf, oneOf, items, properties, ...rest } = schema;
  const known = listOf(anyOf).some((each) => "enum" in each)
    ? listOf(anyOf).filter((each) => "enum" in each || each["type"] !== "string")
    : listOf(anyOf);
  const members = membersOf(properties).map(([name, member]) => [name, strict(member)]);
  return {
    ...rest,
    ...(allOf !== undefined && {
      type: "object",
      allOf: listOf(allOf).map((each) => strict(each, true)),
      unevaluatedProperties: false,
    }),
    ...(anyOf !== undefined && { anyOf: known.map((each) => strict(each)) }),
    ...(oneOf !== undefined && { oneOf: listOf(oneOf).map((each) => strict(each)) }),
    ...(isDescribed(items) && { items: strict(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(members),
      ...(!isPart && { additionalProperties: false }),
    }),
  };
};

const validators = new Map<string, ValidateFunction>();
/** A strict validator for a schema of answers. */
export const validatorOf = (schema: object): ValidateFunction => {
  const whole = resolved(schema);
  const text = JSON.stringify(isDescribed(whole) ? strict(whole) : whole);
  const validator = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validator);
  return validator;
};

type ReceivedResponse = {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: unknown };
  /** Null if it is not known yet. */
  readonly body: string | null;
};

const MATCHERS = OPERATIONS.map((each) => ({
  ...each,
  matches: new RegExp(`^${each.path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

const operationAt = (method: string, path: string): Described | undefined => {
  const bare = path.replace(/^\/v1(?=\/)/, "");
  const name = method === "HEAD" ? "get" : method.toLowerCase();
  const matching = MATCHERS.filter((each) => each.method === name && each.matches.test(bare));
  // Concrete paths come before templates (OpenAPI, "Path Templating Matching").
  return (matching.find((each) => each.path === bare) ?? matching[0])?.operation;
};

const ANY_PROBLEM = problemWith(isNonEmpty(PROBLEM_CODES) ? PROBLEM_CODES : ["internal_error"]);

/** What the document says about responses with this status; `undefined` if nothing. */
const documented = (method: string, path: string, status: number): unknown => {
  const operation = operationAt(method, path);
  if (operation !== undefined) return at(operation, "responses", String(status));
  // Requests that the document does not cover are refused in one of these ways.
  if (status === 401) return at(OPERATIONS[0]?.operation, "responses", "401");
  return [400, 403, 404, 405, 429, 500, 503].includes(status)
    ? { content: { "application/problem+json": { schema: ANY_PROBLEM } } }
    : undefined;
};

/** Throws unless the OpenAPI document describes this response: its status, media type, headers and body. */
export const assertDocumented = (method: string, url: string, received: ReceivedResponse): void => {
  const path = url.split("?")[0] ?? "";
  const where = `${method} ${path} → ${received.statusCode}`;
  if (method === "OPTIONS" && received.statusCode === 204) return;
  const response = documented(method, path, received.statusCode);
  if (response === undefined) throw new Error(`${where} is not documented`);
  for (const [name, header] of membersOf(at(response, "headers"))) {
    const value = received.headers[name.toLowerCase()];
    if (value === undefined && header["required"] === true)
      throw new Error(`${where} lacks the header ${name}`);
    const { schema } = header;
    if (value !== undefined && isDescribed(schema) && !lenient.validate(schema, value))
      throw new Error(`${where} has the undocumented ${name} ${value}`);
  }
  const content = at(response, "content");
  if (content === undefined) {
    if (received.body !== "" || received.headers["content-type"] !== undefined)
      throw new Error(`${where} has an undocumented body`);
    return;
  }
  const type = String(received.headers["content-type"]).replace(/;.*/, "");
  const schema = at(content, type, "schema");
  if (!isDescribed(schema)) throw new Error(`${where} has the undocumented type ${type}`);
  if (type === "text/html" || method === "HEAD" || received.body === null) return;
  const valid = validatorOf(schema);
  if (!valid(JSON.parse(received.body))) {
    throw new Error(`${where} is not as documented: ${ajv.errorsText(valid.errors)}`);
  }
};
