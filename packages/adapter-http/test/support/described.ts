import { openApiDocument } from "../../src/index.ts";

export type Described = { readonly [key: string]: unknown };

const document = openApiDocument();

export const isDescribed = (value: unknown): value is Described =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an object that are objects themselves. */
export const membersOf = (value: unknown): readonly (readonly [name: string, member: Described])[] =>
  Object.entries(isDescribed(value) ? value : {}).flatMap(([name, member]) =>
    isDescribed(member) ? [[name, member] as const] : [],
  );

/** What is at a path of names, such as `components`, `schemas`; undefined if there is nothing. */
export const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isDescribed(inner) ? inner[name] : undefined), value);

/** The value with what its references stand for in their place; members beside a reference replace those of its target. */
export const resolved = (value: unknown, within: unknown = document): unknown => {
  if (Array.isArray(value)) return value.map((item) => resolved(item, within));
  if (!isDescribed(value)) return value;
  const { $ref, ...own } = value;
  const members = Object.entries(own).map(([name, member]) => [name, resolved(member, within)]);
  // In the source of the document, a reference contains its target.
  const target =
    typeof $ref === "string" ? at(within, ...$ref.replace("#/", "").split("/")) : at($ref, "value");
  const referred = resolved(target, within);
  return { ...(isDescribed(referred) ? referred : {}), ...Object.fromEntries(members) };
};

type Operation = {
  readonly method: string;
  readonly path: string;
  /** What the document says about it, without references. */
  readonly operation: Described;
};

/** Every operation in the document. */
export const OPERATIONS: readonly Operation[] = membersOf(resolved(document.paths)).flatMap(([path, item]) =>
  membersOf(item).map(([method, operation]) => ({ method, path, operation })),
);

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Described;
};

const isParameter = (value: unknown): value is Parameter =>
  isDescribed(value) && typeof value["name"] === "string" && isDescribed(value["schema"]);

/** The parameters of an operation. */
export const parametersOf = ({ parameters }: Described): readonly Parameter[] =>
  Array.isArray(parameters) ? parameters.filter(isParameter) : [];

/** The schema of an operation's body in JSON; undefined if it has none. */
export const bodyOf = (operation: Described): Described | undefined => {
  const schema = at(operation, "requestBody", "content", "application/json", "schema");
  return isDescribed(schema) ? schema : undefined;
};
