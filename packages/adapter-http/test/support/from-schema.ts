import * as fc from "fast-check";

export type Schema = { readonly [keyword: string]: unknown };

/** Text that careless code misinterprets. */
export const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "\n",
  "\u202e",
  "\ud800",
  "..",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "'; DROP TABLE aliases; --",
  '{"$ne":null}',
  "<script>alert(1)</script>",
  "%00",
  "%2e%2e%2f",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant to look like a template
  "${jndi:ldap://127.0.0.1/x}",
  "a\r\nSet-Cookie: x=y",
  "x".repeat(129),
  "x".repeat(1000),
  "\u{1f642}",
  "postmaster@alias.example",
  "me@alias.example",
] as const;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const schemasIn = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const numberIn = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;

/** Text that matches the schema, if it has a pattern; otherwise, text that is likely to. */
const text = (schema: Schema): fc.Arbitrary<unknown> => {
  const minLength = numberIn(schema["minLength"], 0);
  const maxLength = numberIn(schema["maxLength"], Number.POSITIVE_INFINITY);
  if (typeof schema["pattern"] === "string") {
    const matching = fc.stringMatching(new RegExp(schema["pattern"], "u"));
    return matching.filter(({ length }) => length >= minLength && length <= maxLength);
  }
  if (schema["format"] === "email") return fc.emailAddress().filter(({ length }) => length <= maxLength);
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const address = fc
    .tuple(word, fc.constantFrom("mail.example", "alias.example", "other-alias.example"))
    .map((parts) => parts.join("@"));
  return fc.oneof(word, address, fc.string({ minLength, maxLength: 20, unit: "grapheme" }));
};

/**
 * Values that match a schema of an OpenAPI document without references. `known` returns text that makes sense for a member with that name,
 * such as existing ids; without it, only the schema counts.
 */
export const fromSchema = (
  schema: Schema,
  known: ((name: string) => fc.Arbitrary<string>) | null,
  name = "",
): fc.Arbitrary<unknown> => {
  const again = (inner: Schema, innerName = name) => fromSchema(inner, known, innerName);
  const { anyOf, oneOf, type } = schema;
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]);
  const choices = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (choices.length > 0) return fc.oneof(...choices.map((choice) => again(choice)));
  switch (type) {
    case "string":
      return known === null
        ? text(schema)
        : fc.oneof({ weight: 8, arbitrary: known(name) }, { weight: 2, arbitrary: text(schema) });
    case "integer":
    case "number":
      return fc.integer({ min: numberIn(schema["minimum"], 0), max: numberIn(schema["maximum"], 1000) });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const items = isSchema(schema["items"]) ? again(schema["items"]) : fc.jsonValue();
      const size = { minLength: numberIn(schema["minItems"], 0), maxLength: 5 };
      return schema["uniqueItems"] === true ? fc.uniqueArray(items, size) : fc.array(items, size);
    }
    default: {
      const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
      const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
      const members: Record<string, fc.Arbitrary<unknown>> = {};
      for (const [name, property] of Object.entries(properties)) {
        members[name] = isSchema(property) ? again(property, name) : fc.jsonValue();
      }
      return fc.record(members, { requiredKeys: required });
    }
  }
};

const hostile = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE_TEXTS, null, true, 0, -1, 1e308, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with one of its members or items removed, added or replaced. */
export const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(value, hostile, fc.nat(), fc.constantFrom("replace", "remove", "add"))
    .map(([whole, other, n, how]) => {
      if (typeof whole !== "object" || whole === null) return other;
      const entries: [string, unknown][] = Object.entries(whole);
      const at = entries.length === 0 ? 0 : n % entries.length;
      const [name = "x"] = entries[at] ?? [];
      if (how === "remove") entries.splice(at, 1);
      else if (how === "replace") entries.splice(at, 1, [name, other]);
      else entries.push([typeof other === "string" ? other : "account", other]);
      return Array.isArray(whole) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
    });
