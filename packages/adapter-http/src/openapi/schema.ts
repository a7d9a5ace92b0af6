/** The part of JSON Schema (2020-12) that the OpenAPI document uses. */
export type Schema = {
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly examples?: readonly unknown[];
} & (
  | { readonly $ref: string }
  | { readonly anyOf: readonly Schema[] }
  | StringSchema
  | IntegerSchema
  | { readonly type: "boolean"; readonly const?: boolean }
  | { readonly type: "null" }
  | ArraySchema
  | ObjectSchema
);

type StringSchema = {
  readonly type: "string";
  readonly format?: "email" | "date-time";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly const?: string;
  readonly enum?: readonly string[];
};

type IntegerSchema = {
  readonly type: "integer";
  readonly minimum?: number;
  readonly maximum?: number;
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
  readonly additionalProperties: false;
};

/** A schema that the document lists once, under `components`, and refers to by name. */
export type NamedSchema = { readonly name: string; readonly schema: Schema };

/** An object with these members and no others, all of them required except those in `optional`. */
export const object = (
  properties: { readonly [name: string]: Schema },
  { optional = [] }: { readonly optional?: readonly string[] } = {},
): ObjectSchema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
};

export const reference = ({ name }: NamedSchema): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The value that the schema describes, or null. The description applies to both. */
export const nullable = ({ description, ...schema }: Schema): Schema => ({
  ...(description !== undefined && { description }),
  anyOf: [schema, { type: "null" }],
});

/** A count, or a time in milliseconds: an integer that JavaScript represents exactly. */
export const count = (description: string): Schema => ({
  type: "integer",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});
