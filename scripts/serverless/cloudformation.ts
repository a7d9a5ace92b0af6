/** A value in a template. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

export type Resource = {
  readonly Type: `AWS::${string}`;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: "Retain" | "RetainExceptOnCreate";
  readonly UpdateReplacePolicy?: "Retain";
  readonly Properties: { readonly [name: string]: Value };
};

/** By their logical ids. */
export type Resources = Readonly<Record<string, Resource>>;

/** The value of a parameter, or what identifies a resource. */
export const ref = (name: string): Value => ({ Ref: name });

export const attribute = (resource: string, name: string): Value => ({ "Fn::GetAtt": [resource, name] });

export const arnOf = (resource: string): Value => attribute(resource, "Arn");

/** Text with `${Name}` and `${Resource.Attribute}` in it. */
export const sub = (text: string): Value => ({ "Fn::Sub": text });

/** The ARN of something of this account, in the region of the stack. */
export const arn = (service: string, resource: string): Value =>
  sub(`arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`);

export const either = (condition: string, then: Value, otherwise: Value): Value => ({
  "Fn::If": [condition, then, otherwise],
});

export const NOTHING = ref("AWS::NoValue");

/** What is not deleted with the stack. */
export const kept = (resource: Resource): Resource => ({
  ...resource,
  DeletionPolicy: "Retain",
  UpdateReplacePolicy: "Retain",
});

/** A table that is not deleted with the stack, except if the deployment that makes it fails: the next one makes another with its name. */
export const table = (TableName: Value, properties: Resource["Properties"]): Resource => ({
  ...kept({ Type: "AWS::DynamoDB::Table", Properties: { TableName, ...properties } }),
  DeletionPolicy: "RetainExceptOnCreate",
});

/** A bucket that nobody can make public. It is not deleted with the stack. */
export const privateBucket = (properties: Resource["Properties"] = {}): Resource =>
  kept({
    Type: "AWS::S3::Bucket",
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      ...properties,
    },
  });

/** A policy for a resource or a role. */
export const policy = (...statements: readonly { readonly [name: string]: Value }[]): Value => ({
  Version: "2012-10-17",
  Statement: statements.map((statement) => ({ Effect: "Allow", ...statement })),
});
