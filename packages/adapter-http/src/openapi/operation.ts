import type { Source } from "../requests/source.ts";
import type { RouteDescription } from "../routes/route.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { componentName, type Json, refer } from "./components.ts";
import { responses } from "./responses.ts";
import { closed, exampleOf, type NamedSchema, object, reference } from "./schema.ts";

/** What the document says about a parameter or header of a request. */
export const parameter = ({ from, name, required, schema }: Omit<Source, "decode">): Json => {
  const { description, examples: _, ...form } = schema;
  return refer({
    kind: "parameters",
    name: componentName(`${from}-${name}`),
    value: { name, in: from, required, description, schema: form, example: exampleOf(schema) },
  });
};

const sourcesOf = ({ input }: RouteDescription, isBody: boolean): readonly Source[] =>
  Object.values(input).filter(({ from }) => (from === "body") === isBody);

/** A closed object of these members. */
const shape = (members: readonly Source[]) =>
  closed(
    object(Object.fromEntries(members.map(({ name, schema }) => [name, schema])), {
      optional: members.filter(({ required }) => !required).map(({ name }) => name),
    }),
  );

/** The schema of a route's body; null if it reads none. */
const bodySchema = (route: RouteDescription): NamedSchema | null => {
  const { bodyName, bodyShapes, summary } = route;
  if (bodyName === undefined) return null;
  const members = sourcesOf(route, true);
  if (bodyShapes === undefined)
    return { name: bodyName, schema: { ...shape(members), description: summary } };
  const shapes = bodyShapes.map(({ name, description, without, requires = [] }) => ({
    name,
    schema: {
      ...shape(
        members
          .filter((member) => !without.includes(member.name))
          .map((member) => (requires.includes(member.name) ? { ...member, required: true } : member)),
      ),
      description,
    },
  }));
  return { name: bodyName, schema: { oneOf: shapes.map(reference), description: summary } };
};

const requestBody = (route: RouteDescription): Json => {
  const schema = bodySchema(route);
  if (schema === null) return {};
  const types = route.method === "PATCH" ? PATCH_TYPES : ["application/json"];
  return {
    requestBody: {
      required: route.bodyIsOptional !== true,
      content: Object.fromEntries(types.map((type) => [type, { schema: reference(schema) }])),
    },
  };
};

/** What the OpenAPI document says about a route. */
export const operation = (route: RouteDescription): Json => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  description: route.description,
  ...(route.open && { security: [] }),
  parameters: sourcesOf(route, false).map(parameter),
  ...requestBody(route),
  responses: responses(route),
});
