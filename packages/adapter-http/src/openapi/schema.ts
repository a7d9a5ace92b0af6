import { type Component, refer } from "./components.ts";

/** The part of JSON Schema (2020-12) that the OpenAPI document uses. */
export type Schema = {
  readonly description?: string;
  readonly examples?: readonly unknown[];
} & (
  | { readonly $ref: SchemaComponent }
  | { readonly anyOf: readonly Schema[] }
  | { readonly oneOf: readonly Schema[]; readonly discriminator?: Discriminator }
  | { readonly allOf: readonly Schema[] }
  | StringSchema
  | IntegerSchema
  | { readonly type: "boolean"; readonly const?: boolean }
  | { readonly type: "null" }
  | ArraySchema
  | ObjectSchema
);

type SchemaComponent = Component & { readonly kind: "schemas"; readonly value: Schema };

/** Which schema applies, by the value of a member that all of them have. */
type Discriminator = {
  readonly propertyName: string;
  /** The schema for each value; by default, the one that is named like the value. */
  readonly mapping?: { readonly [value: string]: string };
};

type StringSchema = {
  readonly type: "string";
  readonly format?: "email" | "date-time" | "uri";
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Text from `patterns.ts`. */
  readonly pattern?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
};

type IntegerSchema = {
  readonly type: "integer";
  readonly format?: "int32" | "int64";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly const?: number;
};

type ArraySchema = {
  readonly type: "array";
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
};

type ObjectSchema = {
  readonly type: "object";
  readonly properties: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
};

/** A schema that the document lists once, under `components`, and refers to by name. */
export type NamedSchema = { readonly name: string; readonly schema: Schema };

/**
 * An object with these members, all of them required except those in `optional`. It is part of an answer, so it may have others: more can
 * be added later.
 */
export const object = (
  properties: { readonly [name: string]: Schema },
  { optional = [] }: { readonly optional?: readonly string[] } = {},
): ObjectSchema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
};

/** An object of a request: the same, but other members are refused. */
export const closed = (schema: ObjectSchema): ObjectSchema => ({ ...schema, additionalProperties: false });

/** The schema without the examples of its parts. */
const withoutExamples = (schema: Schema): Schema => {
  const { examples: _, ...rest } = schema;
  if ("anyOf" in rest) return { ...rest, anyOf: rest.anyOf.map(withoutExamples) };
  if ("allOf" in rest) return { ...rest, allOf: rest.allOf.map(withoutExamples) };
  if (!("type" in rest)) return rest;
  if (rest.type === "array") return { ...rest, items: withoutExamples(rest.items) };
  if (rest.type !== "object") return rest;
  const members = Object.entries(rest.properties).map(([name, member]) => [name, withoutExamples(member)]);
  return { ...rest, properties: Object.fromEntries(members) };
};

/** A reference to the schema, which is listed with one example of the whole, made of those of its parts. */
export const reference = ({ name, schema }: NamedSchema): Schema =>
  refer({
    kind: "schemas",
    name,
    value: { ...withoutExamples(schema), examples: [exampleOf(schema)] },
  });

/** The value that the schema describes, or null. The description and the examples apply to both. */
export const nullable = ({ description, examples, ...schema }: Schema): Schema => ({
  ...(description !== undefined && { description }),
  ...(examples !== undefined && { examples }),
  anyOf: "anyOf" in schema ? [...schema.anyOf, { type: "null" }] : [schema, { type: "null" }],
});

/** One of the values of a named enumeration, in an answer: others can be added later. */
export const openEnum = (known: NamedSchema, about: Pick<Schema, "description" | "examples">): Schema => ({
  ...about,
  anyOf: [reference(known), { type: "string" }],
});

/** An email address, in an answer. */
export const ADDRESS = { type: "string", format: "email" } as const satisfies Schema;

/** A count. JavaScript represents it exactly. */
export const count = (description: string, example = 1): Schema => ({
  type: "integer",
  format: "int64",
  minimum: 0,
  description,
  examples: [example],
});

/** A time, in milliseconds since the beginning of 1970. */
export const time = (description: string): Schema => count(description, 1_760_000_000_000);

/** The first example of the schema, or one made of the examples of its parts. */
export const exampleOf = (schema: Schema): unknown => {
  if (schema.examples !== undefined) return schema.examples[0];
  if ("$ref" in schema) return exampleOf(schema.$ref.value);
  if ("anyOf" in schema) return exampleOf(first(schema.anyOf));
  if ("oneOf" in schema) return exampleOf(first(schema.oneOf));
  if ("allOf" in schema) return Object.assign({}, ...schema.allOf.map(exampleOf));
  if ("const" in schema && schema.const !== undefined) return schema.const;
  switch (schema.type) {
    case "null":
      return null;
    case "boolean":
      return true;
    case "array":
      return [exampleOf(schema.items)];
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, exampleOf(member)]),
      );
    default:
      if (schema.type === "string" && schema.enum !== undefined) return schema.enum[0];
      throw new Error(`A schema lacks an example: ${JSON.stringify(schema)}`);
  }
};

const first = ([schema]: readonly Schema[]): Schema => schema ?? { type: "null" };
