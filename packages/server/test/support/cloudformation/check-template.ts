import { referencesOf } from "./references.ts";
import { type Json, type Template, templateSchema } from "./template.ts";
import { compare, type Findings, type Member, resourceType } from "./types.ts";

/** AWS's limits for a template in S3. */
const MAX_BYTES = 1_000_000;
const MAX_RESOURCES = 500;

const listOf = (value: string | readonly string[] = []): readonly string[] => [value].flat();

/** Whether a resource depends on itself, by way of others. */
const isInCircle = (start: string, needs: ReadonlyMap<string, readonly string[]>): boolean => {
  const seen = new Set<string>();
  const waiting = [...(needs.get(start) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === start) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...(needs.get(name) ?? []));
  }
  return false;
};

const named = (value: unknown, key: string): readonly string[] =>
  [...JSON.stringify(value).matchAll(RegExp(`"${key}":\\[?"(\\w+)"`, "g"))].map(([, name = ""]) => name);

const checkReferences = (template: Template, problems: string[]): void => {
  const { Parameters, Conditions, Resources, Outputs } = template;
  const used = new Set<string>();

  /** The names of the resources that the value refers to. */
  const check = (where: string, value: Json, given: readonly string[] = []): readonly string[] =>
    referencesOf(value, template, given).flatMap((reference) => {
      const { name, attribute } = reference;
      used.add(name);
      if (name in Parameters && attribute === undefined) return [];
      const resource = Resources[name];
      if (resource === undefined) problems.push(`${where} refers to ${name}, which does not exist`);
      else if (attribute !== undefined && !(attribute in (resourceType(resource.Type)?.attributes ?? {})))
        problems.push(`${where} refers to ${name}.${attribute}, which does not exist`);
      else if (resource.Condition !== undefined && !reference.given.includes(resource.Condition))
        problems.push(`${where} refers to ${name}, which exists only if ${resource.Condition}`);
      return resource === undefined ? [] : [name];
    });

  const needs = new Map<string, readonly string[]>();
  for (const [name, { Properties, DependsOn, Condition }] of Object.entries(Resources)) {
    const after = listOf(DependsOn);
    for (const other of after)
      if (!(other in Resources)) problems.push(`${name} depends on ${other}, which does not exist`);
    needs.set(name, [...check(name, Properties, listOf(Condition)), ...after]);
  }
  for (const [name, { Value, Condition }] of Object.entries(Outputs)) check(name, Value, listOf(Condition));
  check("Conditions", Conditions);

  for (const name of needs.keys()) if (isInCircle(name, needs)) problems.push(`${name} depends on itself`);
  for (const name of Object.keys(Parameters))
    if (!used.has(name)) problems.push(`${name} is a parameter that nothing uses`);
  const conditions = new Set([...named(template, "Condition"), ...named(template, "Fn::If")]);
  for (const name of conditions.difference(new Set(Object.keys(Conditions))))
    problems.push(`${name} is a condition that does not exist`);
  for (const name of Object.keys(Conditions))
    if (!conditions.has(name)) problems.push(`${name} is a condition that nothing uses`);
};

/**
 * What CloudFormation would refuse, as far as AWS's own description of the types can tell; and every member of a resource that has a type.
 *
 * @param json the text of the template
 */
export const checkTemplate = (
  json: string,
): { readonly problems: readonly string[]; readonly members: readonly Member[] } => {
  const found: Findings = { problems: [], members: [] };
  const { data: template, error } = templateSchema.safeParse(JSON.parse(json));
  if (template === undefined) return { ...found, problems: [String(error)] };
  if (json.length > MAX_BYTES) found.problems.push(`The template has more than ${MAX_BYTES} bytes`);
  if (Object.keys(template.Resources).length > MAX_RESOURCES)
    found.problems.push(`The template has more than ${MAX_RESOURCES} resources`);
  for (const [name, { Type, Properties }] of Object.entries(template.Resources)) {
    const type = resourceType(Type);
    if (type === undefined) found.problems.push(`${name} has the type ${Type}, which does not exist`);
    else compare(Properties, type.properties, ["Resources", name, "Properties"], found);
  }
  checkReferences(template, found.problems);
  return found;
};
