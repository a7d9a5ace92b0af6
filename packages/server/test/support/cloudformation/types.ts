import { loadAwsServiceSpecSync } from "@aws-cdk/aws-service-spec";
import { isObject, type Json, type JsonObject } from "./template.ts";

/** AWS's description of every type of resource. */
const SPEC: ReturnType<typeof loadAwsServiceSpecSync> = loadAwsServiceSpecSync();

type ResourceType = ReturnType<typeof SPEC.all<"resource">>[number];
type Properties = ResourceType["properties"];
type PropertyType = Properties[string]["type"];

/** A member of an object whose type says which members it has. */
export type Member = {
  readonly path: readonly string[];
  readonly type: PropertyType;
  readonly required: boolean;
};

export const resourceType = (type: string): ResourceType | undefined =>
  SPEC.lookup("resource", "cloudFormationType", "equals", type)[0];

const isNothing = (value: Json): boolean => isObject(value) && value["Ref"] === "AWS::NoValue";

/** The two values of an `Fn::If`, with their paths. */
const branchesOf = (value: Json, path: Member["path"]) => {
  const branches = isObject(value) ? value["Fn::If"] : undefined;
  return Array.isArray(branches)
    ? branches.map((branch, index) => ({ branch, at: [...path, "Fn::If", `${index}`] })).slice(1)
    : undefined;
};

/** Functions that return text. What a `Ref` and an attribute return is text in all types that we use. */
const isText = (value: Json): boolean =>
  typeof value === "string" ||
  (isObject(value) &&
    Object.keys(value).length === 1 &&
    ["Ref", "Fn::GetAtt", "Fn::Sub", "Fn::Join"].some((name) => name in value));

/** A function that returns a list of texts. */
const isTexts = (value: Json): boolean =>
  isObject(value) && Object.keys(value).length === 1 && "Fn::Split" in value;

const SCALARS: Readonly<Record<string, (value: Json) => boolean>> = {
  string: isText,
  "date-time": isText,
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  json: isObject,
};

export type Findings = { readonly problems: string[]; readonly members: Member[] };

/** Compares the members of an object with those that it may and must have. */
export const compare = (
  value: JsonObject,
  properties: Properties,
  path: Member["path"],
  found: Findings,
): void => {
  for (const [name, { type, required = false }] of Object.entries(properties)) {
    const member = value[name];
    if (member !== undefined) found.members.push({ path: [...path, name], type, required });
    else if (required) found.problems.push(`${[...path, name].join(".")} is missing`);
  }
  for (const [name, member] of Object.entries(value)) {
    const property = properties[name];
    if (property === undefined) found.problems.push(`${[...path, name].join(".")} is unknown`);
    else compareType(member, property.type, [...path, name], found);
  }
};

const compareType = (value: Json, type: PropertyType, path: Member["path"], found: Findings): void => {
  const branches = branchesOf(value, path);
  const wrong = (what: string = type.type) => found.problems.push(`${path.join(".")} is not of type ${what}`);
  if (branches !== undefined) {
    for (const { branch, at } of branches) if (!isNothing(branch)) compareType(branch, type, at, found);
  } else if (type.type === "array" && isTexts(value)) {
    compareType("text", type.element, path, found);
  } else if (type.type === "array" || type.type === "map") {
    const fits = type.type === "array" ? Array.isArray(value) : isObject(value);
    if (!fits || typeof value !== "object" || value === null) wrong();
    else
      for (const [name, element] of Object.entries(value))
        compareType(element, type.element, [...path, name], found);
  } else if (type.type === "ref") {
    const { name, properties } = SPEC.get("typeDefinition", type.reference);
    if (isObject(value)) compare(value, properties, path, found);
    else wrong(name);
  } else if (type.type === "union") {
    const fits = type.types.some((each) => {
      const findings: Findings = { problems: [], members: [] };
      compareType(value, each, path, findings);
      return findings.problems.length === 0;
    });
    if (!fits) wrong();
  } else if (SCALARS[type.type]?.(value) !== true) {
    wrong();
  } else if (type.type === "string" && typeof value === "string" && type.allowedValues !== undefined) {
    if (!type.allowedValues.includes(value)) wrong(type.allowedValues.join(" or "));
  }
};
