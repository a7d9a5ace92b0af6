import { at, type Described, isDescribed, membersOf } from "./described.ts";

/*
 * What in a new version of the document can break a client that was made from an earlier one. Both are without references. Not every schema
 * can be compared, but all that the document uses.
 */

const listOf = (value: unknown): readonly Described[] =>
  Array.isArray(value) ? value.filter(isDescribed) : [];
const textsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The alternatives of a schema, each without `anyOf`, `oneOf` and `allOf`. */
const alternatives = (schema: Described): readonly Described[] => {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const parts = listOf(allOf);
  if (parts.length > 0) {
    const properties = Object.assign({}, ...parts.map((part) => part["properties"]));
    return [
      { ...rest, type: "object", properties, required: parts.flatMap((part) => textsIn(part["required"])) },
    ];
  }
  const inner = [...listOf(anyOf), ...listOf(oneOf)];
  return inner.length === 0 ? [schema] : inner.flatMap(alternatives);
};

/** The values that a schema lists; null if it lists none. */
const valuesOf = (schema: Described): readonly unknown[] | null => {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
};

const MINIMA = ["minimum", "minLength", "minItems"];
const MAXIMA = ["maximum", "maxLength", "maxItems"];

/** Why a value that matches `written`, which has no alternatives, may not match `read`, which has none either. */
const flaws = (read: Described, written: Described, where: string): readonly string[] => {
  if (read["type"] !== undefined && read["type"] !== written["type"])
    return [`${where} can be ${written["type"] ?? "anything"}, not only ${read["type"]}`];
  const found: string[] = [];
  const [accepted, values] = [valuesOf(read), valuesOf(written)];
  if (accepted !== null && values === null) found.push(`${where} can be other than ${accepted.join(", ")}`);
  for (const value of values ?? [])
    if (accepted !== null && !accepted.includes(value)) found.push(`${where} can be ${value}`);
  if (values === null) {
    for (const [names, isNarrower] of [
      [MINIMA, (a: number, b: number) => a > b],
      [MAXIMA, (a: number, b: number) => a < b],
    ] as const) {
      for (const name of names) {
        const [limit, other] = [read[name], written[name]];
        if (typeof limit === "number" && (typeof other !== "number" || isNarrower(limit, other)))
          found.push(`${where} has another ${name}`);
      }
    }
    for (const name of ["pattern", "format", "uniqueItems"])
      if (read[name] !== undefined && read[name] !== written[name])
        found.push(`${where} has another ${name}`);
  }
  const [readItems, writtenItems] = [read["items"], written["items"]];
  if (isDescribed(readItems) && isDescribed(writtenItems))
    found.push(...mismatches(readItems, writtenItems, `${where}[]`));

  const known = new Map(membersOf(read["properties"]));
  const members = new Map(membersOf(written["properties"]));
  const always = textsIn(written["required"]);
  for (const name of textsIn(read["required"]))
    if (!always.includes(name)) found.push(`${where}.${name} can be missing`);
  for (const [name, member] of members) {
    const reader = known.get(name);
    if (reader !== undefined) found.push(...mismatches(reader, member, `${where}.${name}`));
    else if (read["additionalProperties"] === false) found.push(`${where}.${name} is not known`);
  }
  return found;
};

/** Why a value that matches the schema `written` may not match the schema `read`. */
const mismatches = (read: Described, written: Described, where: string): readonly string[] =>
  alternatives(written).flatMap((each) => {
    const tried = alternatives(read).map((reader) => flaws(reader, each, where));
    return tried.some((found) => found.length === 0) ? [] : (tried[0] ?? []);
  });

/** The alternatives of a schema by the values of the member that tells them apart. */
const variants = (schema: Described, member: string): ReadonlyMap<unknown, Described> =>
  new Map(
    alternatives(schema).flatMap((each) => {
      const told = at(each, "properties", member);
      return (isDescribed(told) ? (valuesOf(told) ?? []) : []).map((value) => [value, each] as const);
    }),
  );

/** The same for answers that a member tells apart, of which there may be more kinds later. */
const changedVariants = (before: Described, after: Described, member: string, where: string) => {
  const now = variants(after, member);
  return [...variants(before, member)].flatMap(([value, schema]) => {
    const { [member]: _, ...others } = Object.fromEntries(membersOf(schema["properties"]));
    const changed = now.get(value);
    return changed === undefined
      ? []
      : mismatches({ ...schema, properties: others }, changed, `${where} ${value}`);
  });
};

const changedAnswers = (before: unknown, after: unknown, where: string): readonly string[] =>
  membersOf(before).flatMap(([status, answer]) => {
    const now = at(after, status);
    const place = `${where} ${status}`;
    if (!isDescribed(now)) return Number(status) < 400 ? [`${place} is gone`] : [];
    const headers = membersOf(answer["headers"])
      .filter(
        ([name, header]) => header["required"] === true && at(now, "headers", name, "required") !== true,
      )
      .map(([name]) => `${place} can lack the header ${name}`);
    const bodies = membersOf(answer["content"]).flatMap(([type, { schema }]) => {
      const changed = at(now, "content", type, "schema");
      if (!isDescribed(schema)) return [];
      if (!isDescribed(changed)) return [`${place} is no longer ${type}`];
      return type === "application/problem+json"
        ? changedVariants(schema, changed, "code", place)
        : mismatches(schema, changed, place);
    });
    return [...headers, ...bodies];
  });

const parametersBy = ({ parameters }: Described): ReadonlyMap<string, Described> =>
  new Map(listOf(parameters).map((each) => [`${each["in"]} ${each["name"]}`, each]));

const changedParameters = (before: Described, after: Described): readonly string[] => {
  const [old, now] = [parametersBy(before), parametersBy(after)];
  const gone = [...old.keys()].filter((name) => !now.has(name)).map((name) => `${name} is not known`);
  const changed = [...now].flatMap(([name, { required, schema }]) => {
    const earlier = old.get(name);
    if (required === true && earlier?.["required"] !== true) return [`${name} is required`];
    const wanted = earlier?.["schema"];
    return isDescribed(schema) && isDescribed(wanted) ? mismatches(schema, wanted, name) : [];
  });
  return [...gone, ...changed];
};

const changedBody = (before: Described, after: Described): readonly string[] => {
  const [old, now] = [before["requestBody"], after["requestBody"]];
  if (at(old, "required") !== true && at(now, "required") === true) return ["body is required"];
  return membersOf(at(old, "content")).flatMap(([type, { schema }]) => {
    const changed = at(now, "content", type, "schema");
    if (!isDescribed(schema)) return [];
    return isDescribed(changed) ? mismatches(changed, schema, "body") : [`body cannot be ${type}`];
  });
};

const changedOperation = (before: Described, after: unknown): readonly string[] => {
  if (!isDescribed(after)) return ["is gone"];
  return [
    ...(before["operationId"] === after["operationId"] ? [] : ["has another operationId"]),
    ...(before["security"] !== undefined && after["security"] === undefined ? ["needs a token"] : []),
    ...changedParameters(before, after),
    ...changedBody(before, after),
    ...changedAnswers(before["responses"], after["responses"], "answer"),
  ];
};

/** What in `after` can break a client made from `before`, each with the operation's id: `getAlias: answer 200.email can be missing`. */
export const breakingChanges = (before: unknown, after: unknown): readonly string[] => {
  const operations = membersOf(at(before, "paths")).flatMap(([path, item]) =>
    membersOf(item).flatMap(([method, operation]) =>
      changedOperation(operation, at(after, "paths", path, method)).map(
        (change) => `${operation["operationId"]}: ${change}`,
      ),
    ),
  );
  const schema = ["webhooks", "event", "post", "requestBody", "content", "application/json", "schema"];
  const [old, now] = [at(before, ...schema), at(after, ...schema)];
  const events = isDescribed(old) && isDescribed(now) ? changedVariants(old, now, "type", "body") : [];
  return [...operations, ...events.map((change) => `event: ${change}`)];
};
