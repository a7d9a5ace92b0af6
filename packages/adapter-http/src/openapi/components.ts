/** JSON, in which `$ref` may be a component instead of a text. */
export type Json = { readonly [key: string]: unknown };

/** Something that the document lists once, under `components`, and refers to by name. */
export type Component = {
  readonly kind: "schemas" | "responses" | "parameters" | "headers";
  readonly name: string;
  readonly value: Json;
};

export type Components = { readonly [kind in Component["kind"]]: { readonly [name: string]: unknown } };

/** A reference to a component. `withComponents` writes it, and lists the component. */
export const refer = <Referred extends Component>(component: Referred): { readonly $ref: Referred } => ({
  $ref: component,
});

/** A name such as `alias_not_found` or `If-Match` as that of a component: `AliasNotFound`, `IfMatch`. */
export const componentName = (name: string): string =>
  name.replaceAll(/(?:^|[-_])([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const isComponent = (value: unknown): value is Component =>
  isObject(value) && "kind" in value && "name" in value && "value" in value;

const byName = (found: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The document's parts with each component in them replaced by a reference, and these components, by name.
 *
 * @throws Error if two different components have one name
 */
export const withComponents = <Parts extends Json>(
  parts: Parts,
): Parts & { readonly components: Components } => {
  const found: { readonly [kind in Component["kind"]]: Map<string, unknown> } = {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    headers: new Map(),
  };
  const sources = new Map<string, string>();

  const list = ({ kind, name, value }: Component): string => {
    const place = `#/components/${kind}/${name}`;
    const source = JSON.stringify(value);
    const listed = sources.get(place);
    if (listed === undefined) {
      sources.set(place, source);
      found[kind].set(name, written(value));
    } else if (listed !== source) throw new Error(`Two different ${kind} are called ${name}`);
    return place;
  };

  const written = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(written);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && isComponent(inner) ? list(inner) : written(inner),
      ]),
    );
  };

  const { schemas, responses, parameters, headers } = found;
  // Only references have changed, about which the type of JSON says nothing.
  const whole = written(parts) as Parts;
  return {
    ...whole,
    components: {
      schemas: byName(schemas),
      responses: byName(responses),
      parameters: byName(parameters),
      headers: byName(headers),
    },
  };
};
