import { readFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import * as z from "zod";

const DOCUMENT = new URL("../../../../docs/openapi.json", import.meta.url);
const HEADER = "// Written by `pnpm openapi` from docs/openapi.json.\n\n";

const isString = (type: ts.TypeNode): boolean => type.kind === ts.SyntaxKind.StringKeyword;

const isNull = (type: ts.TypeNode): boolean =>
  ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;

/** `"a" | "b" | string` would be just `string` to an editor; with `string & {}`, it suggests the known values. */
const withKnownValues = (type: ts.UnionTypeNode): ts.TypeNode =>
  ts.factory.createUnionTypeNode(
    type.types.map((member) =>
      isString(member)
        ? ts.factory.createIntersectionTypeNode([member, ts.factory.createTypeLiteralNode([])])
        : member,
    ),
  );

const refined = (type: ts.TypeNode): ts.TypeNode => {
  if (ts.isTupleTypeNode(type)) return ts.factory.createTypeOperatorNode(ts.SyntaxKind.ReadonlyKeyword, type);
  const hasKnownValues =
    ts.isUnionTypeNode(type) &&
    type.types.some(isString) &&
    type.types.some((member) => !isString(member) && !isNull(member));
  return hasKnownValues ? withKnownValues(type) : type;
};

/** No type can say "at most 40": the generator would write out a tuple for each length. */
const withoutMaxItems = (key: string, value: unknown): unknown => (key === "maxItems" ? undefined : value);

/** The types of the document. A list that cannot be empty is a tuple with at least one member. */
const types = async (document: string): Promise<string> =>
  astToString(
    await openapiTS(JSON.parse(document, withoutMaxItems), {
      alphabetize: true,
      arrayLength: true,
      defaultNonNullable: false,
      immutable: true,
      postTransform: refined,
      silent: true,
    }),
  );

/** Replaces a `$ref` by what it stands for. */
const referred = (document: unknown): z.ZodType<object> =>
  z.preprocess((value) => {
    const ref = z.object({ $ref: z.string() }).safeParse(value).data?.$ref;
    return (
      ref
        ?.split("/")
        .slice(1)
        .reduce((node, name) => z.looseObject({}).parse(node)[name], document) ?? value
    );
  }, z.looseObject({}));

const Parameter = z.object({ name: z.string(), in: z.enum(["path", "query", "header"]) });
const Response = z.object({ headers: z.record(z.string(), z.unknown()).default({}) });

const Operation = (document: unknown) =>
  z.object({
    operationId: z.string(),
    summary: z.string(),
    description: z.string().default(""),
    security: z.array(z.unknown()).optional(),
    parameters: z.array(referred(document).pipe(Parameter)).default([]),
    requestBody: z.unknown().optional(),
    responses: z.record(z.string(), referred(document).pipe(Response)),
  });

/** What the client has to know about each operation in order to call it, with the document's words about it. */
const table = (document: unknown): string => {
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), Operation(document))) })
    .parse(document);
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
      const [status = "", response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
      const takesQuery = parameters.some((parameter) => parameter.in === "query");
      const row = {
        method: method.toUpperCase(),
        path,
        takes: requestBody === undefined ? (takesQuery ? "query" : "nothing") : "body",
        takesIfMatch: parameters.some(({ name }) => name === "If-Match"),
        status: Number(status),
        hasEtag: Object.keys(response?.headers ?? {}).includes("ETag"),
        isPublic: security?.length === 0,
      };
      const members = Object.entries(row).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const words = `${summary}.\n\n${description}`.trim().replaceAll(/^/gm, "   * ").replaceAll(/ +$/gm, "");
      return `  /**\n${words}\n   */\n  ${operationId}: { ${members.join(", ")} },\n`;
    }),
  );
  return `export const OPERATIONS = {\n${rows.join("")}} as const;\n`;
};

/** The files that `pnpm openapi` writes into `src/generated`, with their contents. */
export const generated = async (): Promise<Readonly<Record<string, string>>> => {
  const document = readFileSync(DOCUMENT, "utf8");
  return {
    "types.ts": `${HEADER}${await types(document)}`,
    "operations.ts": `${HEADER}${table(JSON.parse(document))}`,
  };
};
