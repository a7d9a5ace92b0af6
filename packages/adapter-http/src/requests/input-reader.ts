import {
  type AccountId,
  err,
  type InputIssue,
  type Operation,
  ok,
  type Parsed,
  type Result,
} from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { InvalidField, InvalidFields } from "../problems/failure.ts";
import { pointerTo } from "../problems/invalid-field.ts";
import type { Source } from "./source.ts";

/** More errors would not help the client, and a hostile body must not lead to a response many times its size. */
const MAX_ERRORS = 20;

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The part of a route's definition that says how its input is read. */
export type InputDescription = {
  readonly input: { readonly [field: string]: Source };
  /** Whether a request without a body is valid. */
  readonly bodyIsOptional?: true;
  /** Whether query parameters that no source names are ignored rather than refused. */
  readonly ignoresUnknownParameters?: true;
};

/** The input of an operation, ready to run, and its fields as decoded from the request. */
export type ReadInput<Input> = { readonly parsed: Parsed<Input>; readonly decoded: Values };

const placeOf = ({ from, name }: Source, inner: readonly string[] = []): Omit<InvalidField, "reason"> =>
  from === "body" ? { pointer: pointerTo([name, ...inner]) } : { parameter: name };

/**
 * Returns a function that reads the input of an operation from a request: it decodes each field from its source, has the
 * operation parse them, and reports everything that is wrong in terms of the request (up to 20 errors).
 */
export const inputReader = <Input>(
  { input, bodyIsOptional, ignoresUnknownParameters }: InputDescription,
  parse: Operation<Input, unknown, unknown>["parse"],
) => {
  const fields = Object.entries(input).map(([field, source]) => ({
    field,
    source,
    key: source.from === "header" ? source.name.toLowerCase() : source.name,
  }));
  const namesIn = (from: Source["from"]): ReadonlySet<string> =>
    new Set(fields.filter(({ source }) => source.from === from).map(({ key }) => key));
  const members = namesIn("body");
  const parameters = namesIn("query");
  const refusesUnknownParameters = parameters.size > 0 && ignoresUnknownParameters !== true;

  /** The members of the body, or the reason why it is invalid. */
  const readBody = (body: unknown): Result<Values, string> => {
    if (members.size === 0 || (body === undefined && bodyIsOptional === true)) return ok({});
    if (body === undefined) return err("is required");
    return isObject(body) ? ok(body) : err("must be an object");
  };

  const unknownNames = (query: Values, body: Values): readonly InvalidField[] => [
    ...Object.keys(body)
      .filter((name) => !members.has(name))
      .map((name) => ({ pointer: pointerTo([name]), reason: "is not known" })),
    ...(refusesUnknownParameters ? Object.keys(query) : [])
      .filter((name) => !parameters.has(name))
      .map((name) => ({ parameter: name, reason: "is not known" })),
  ];

  /** The operation's issue in terms of the request; none if the field, or the body it is in, has already been refused. */
  const translate = (
    { path: [field = "", ...inner], reason }: InputIssue,
    refused: ReadonlySet<string>,
  ): readonly InvalidField[] => {
    const source = input[field];
    if (source === undefined)
      throw new Error(`The operation rejected its input ${field}, which does not come from the request`);
    return refused.has(field) ? [] : [{ ...placeOf(source, inner), reason }];
  };

  return (request: FastifyRequest, account: AccountId | null): Result<ReadInput<Input>, InvalidFields> => {
    const errors: InvalidField[] = [];
    const refused = new Set<string>();
    const body = readBody(request.body);
    if (body.isErr()) errors.push({ pointer: "", reason: body.error });
    const sent: Readonly<Record<Source["from"], Values>> = {
      path: isObject(request.params) ? request.params : {},
      query: isObject(request.query) ? request.query : {},
      header: request.headers,
      body: body.unwrapOr({}),
    };

    const decoded: Record<string, unknown> = {};
    for (const { field, source, key } of fields) {
      const value = sent[source.from][key];
      if (value === undefined) {
        if (source.from === "body" && body.isErr()) refused.add(field);
        continue;
      }
      // The query parser turns a repeated parameter into a list.
      const repeated = source.from === "query" && Array.isArray(value);
      const read = repeated ? err("must be given once") : source.decode(value, account);
      if (read.isOk()) decoded[field] = read.value;
      else {
        errors.push({ ...placeOf(source), reason: read.error });
        refused.add(field);
      }
    }

    const parsed = parse(account === null ? decoded : { ...decoded, account });
    if (parsed.isErr()) errors.push(...parsed.error.issues.flatMap((issue) => translate(issue, refused)));
    errors.push(...unknownNames(sent.query, sent.body));
    return errors.length === 0 && parsed.isOk()
      ? ok({ parsed: parsed.value, decoded })
      : err({ code: "invalid_request", errors: errors.slice(0, MAX_ERRORS) });
  };
};
