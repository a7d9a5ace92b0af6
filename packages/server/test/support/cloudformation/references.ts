import { isObject, type Json, type Template } from "./template.ts";

/** What a value refers to: a parameter or a resource, or an attribute of a resource. */
type Reference = {
  readonly name: string;
  readonly attribute: string | undefined;
  /** The conditions that hold where it is. */
  readonly given: readonly string[];
};

/** What follows from a condition that does not hold. */
const without = (condition: string, { Conditions }: Template): readonly string[] =>
  Object.entries(Conditions)
    .filter(([, test]) => JSON.stringify(test) === JSON.stringify({ "Fn::Not": [{ Condition: condition }] }))
    .map(([name]) => name);

const inText = (text: string, own: readonly string[], given: readonly string[]): readonly Reference[] =>
  [...text.matchAll(/\$\{([^!}][^}]*)\}/g)]
    .map(([, target = ""]) => target.split(/\.(.*)/s))
    .filter(([name = ""]) => !own.includes(name))
    .map(([name = "", attribute]) => ({ name, attribute, given }));

/** Everything that a value refers to. Throws if an intrinsic function has a form that ours never have. */
export const referencesOf = (
  value: Json,
  template: Template,
  given: readonly string[] = [],
): readonly Reference[] => {
  const inside = (part: Json, conditions = given) => referencesOf(part, template, conditions);
  if (Array.isArray(value)) return value.flatMap((part) => inside(part));
  if (!isObject(value)) return [];
  const [[name, argument] = ["", null], ...others] = Object.entries(value);
  if (others.length > 0) return Object.values(value).flatMap((part) => inside(part));
  if (name === "Ref" && typeof argument === "string") {
    return argument.startsWith("AWS::") ? [] : [{ name: argument, attribute: undefined, given }];
  }
  if (name === "Fn::GetAtt" && Array.isArray(argument)) {
    const [resource, attribute] = argument.map(String);
    return [{ name: resource ?? "", attribute: attribute ?? "", given }];
  }
  if (name === "Fn::Sub") {
    const [text, variables = {}] = Array.isArray(argument) ? argument : [argument];
    const own = isObject(variables) ? Object.keys(variables) : [];
    return [...inText(String(text), own, given), ...inside(variables)].filter(
      ({ name }) => !name.startsWith("AWS::"),
    );
  }
  if (name === "Fn::If" && Array.isArray(argument)) {
    const [condition = "", then = null, otherwise = null] = argument;
    return [
      ...inside(then, [...given, String(condition)]),
      ...inside(otherwise, [...given, ...without(String(condition), template)]),
    ];
  }
  return inside(argument);
};
