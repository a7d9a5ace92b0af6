import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/index.ts";

const document = openApiDocument();
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
ajv.addKeyword("components");
ajv.addSchema({ $id: "api", components: document.components });

const validators = new Map<string, ValidateFunction>();
/** A validator for a schema, which may refer to the document's components. */
export const validatorOf = (schema: object): ValidateFunction => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const validator = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validator);
  return validator;
};

type ReceivedResponse = {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
};

const operationAt = (method: string, path: string) => {
  const bare = path.replace(/^\/v1(?=\/)/, "");
  const name = method === "HEAD" ? "get" : method.toLowerCase();
  const matching = Object.entries(document.paths).filter(
    ([template, item]) =>
      item[name] !== undefined && new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(bare),
  );
  // Concrete paths come before templates (OpenAPI, "Path Templating Matching").
  const [, item] = matching.find(([template]) => template === bare) ?? matching[0] ?? [];
  return item?.[name];
};

type DocumentedResponse = {
  readonly headers?: object;
  /** Absent if the response has no body. */
  readonly content?: Record<string, { readonly schema: object }>;
};

/** What the document says about responses with this status; `undefined` if nothing. */
const documented = (method: string, path: string, status: number): DocumentedResponse | undefined => {
  const operation = operationAt(method, path) as
    | { responses: Record<string, DocumentedResponse> }
    | undefined;
  if (operation !== undefined) return operation.responses[status];
  // Requests that the document does not cover are refused in one of these ways.
  if (status === 401) {
    return { content: { "application/json": { schema: { $ref: "#/components/schemas/Unauthorized" } } } };
  }
  return [400, 403, 404, 405, 429, 503].includes(status)
    ? { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } }
    : undefined;
};

/** Throws unless the OpenAPI document describes this response: its status, media type, headers and body. */
export const assertDocumented = (method: string, url: string, received: ReceivedResponse): void => {
  const path = url.split("?")[0] ?? "";
  const where = `${method} ${path} → ${received.statusCode}`;
  if (method === "OPTIONS" && received.statusCode === 204) return;
  const response = documented(method, path, received.statusCode);
  if (response === undefined) throw new Error(`${where} is not documented`);
  for (const name of Object.keys(response.headers ?? {})) {
    if (received.headers[name.toLowerCase()] === undefined)
      throw new Error(`${where} lacks the header ${name}`);
  }
  if (response.content === undefined) {
    if (received.body !== "" || received.headers["content-type"] !== undefined)
      throw new Error(`${where} has an undocumented body`);
    return;
  }
  const type = String(received.headers["content-type"]).replace(/;.*/, "");
  const content = response.content[type];
  if (content === undefined) throw new Error(`${where} has the undocumented type ${type}`);
  if (type === "text/html" || method === "HEAD") return;
  const valid = validatorOf(content.schema);
  if (!valid(JSON.parse(received.body))) {
    throw new Error(`${where} is not as documented: ${ajv.errorsText(valid.errors)}`);
  }
};
