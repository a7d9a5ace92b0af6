import * as z from "zod";

const named = <S extends z.ZodType>(schema: S) => z.record(z.string().regex(/^[A-Za-z0-9]{1,255}$/), schema);

export const templateSchema = z.strictObject({
  AWSTemplateFormatVersion: z.literal("2010-09-09"),
  Description: z.string().max(1024),
  Parameters: named(
    z.strictObject({
      Type: z.literal("String"),
      Description: z.string(),
      Default: z.string().optional(),
      AllowedPattern: z.string().optional(),
      AllowedValues: z.array(z.string()).optional(),
    }),
  ),
  Conditions: named(z.json()),
  Resources: named(
    z.strictObject({
      Type: z.string(),
      Condition: z.string().optional(),
      DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
      DeletionPolicy: z.enum(["Retain", "RetainExceptOnCreate"]).optional(),
      UpdateReplacePolicy: z.literal("Retain").optional(),
      Properties: z.record(z.string(), z.json()),
    }),
  ),
  Outputs: named(
    z.strictObject({ Description: z.string(), Condition: z.string().optional(), Value: z.json() }),
  ),
});

/** A template in the form that ours has, which is a part of CloudFormation's. */
export type Template = z.output<typeof templateSchema>;

/** A JSON value. */
export type Json = z.output<ReturnType<typeof z.json>>;

export type JsonObject = { readonly [name: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
