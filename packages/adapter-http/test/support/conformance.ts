import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/index.ts";

const document = openApiDocument();
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
ajv.addKeyword("components");
ajv.addSchema({ $id: "api", components: document.components });

const validators = new Map<string, ValidateFunction>();
const validatorOf = (schema: object): ValidateFunction => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const validator = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validator);
  return validator;
};

type Answer = {
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

type Documented = {
  readonly headers?: object;
  /** None in an answer without a body. */
  readonly content?: Record<string, { readonly schema: object }>;
};

/** What the document says that this answer looks like: `undefined` when it says nothing of that status. */
const documented = (method: string, path: string, status: number): Documented | undefined => {
  const operation = operationAt(method, path) as { responses: Record<string, Documented> } | undefined;
  if (operation !== undefined) return operation.responses[status];
  // Whatever lies outside the document is refused in these ways.
  if (status === 401) {
    return { content: { "application/json": { schema: { $ref: "#/components/schemas/Unauthorized" } } } };
  }
  return [400, 404, 405, 429, 503].includes(status)
    ? { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } }
    : undefined;
};

/** Throws unless the OpenAPI document describes this answer: its status, media type, headers and body. */
export const assertDocumented = (method: string, url: string, answer: Answer): void => {
  const path = url.split("?")[0] ?? "";
  const where = `${method} ${path} → ${answer.statusCode}`;
  if (method === "OPTIONS" && answer.statusCode === 204) return;
  const response = documented(method, path, answer.statusCode);
  if (response === undefined) throw new Error(`${where} is not documented`);
  for (const name of Object.keys(response.headers ?? {})) {
    if (answer.headers[name.toLowerCase()] === undefined)
      throw new Error(`${where} lacks the header ${name}`);
  }
  if (response.content === undefined) {
    if (answer.body !== "" || answer.headers["content-type"] !== undefined)
      throw new Error(`${where} has an undocumented body`);
    return;
  }
  const type = String(answer.headers["content-type"]).replace(/;.*/, "");
  const content = response.content[type];
  if (content === undefined) throw new Error(`${where} is of the undocumented type ${type}`);
  if (type === "text/html" || method === "HEAD") return;
  const valid = validatorOf(content.schema);
  if (!valid(JSON.parse(answer.body))) {
    throw new Error(`${where} is not as documented: ${ajv.errorsText(valid.errors)}`);
  }
};
