/*
 * Rotates the secret of links, which is two secrets, separated by a comma: the first one encrypts new links. Functions read them when they
 * start, so every other rotation only brings in a new one as the second; the next makes it the first, and the former first the second. By
 * then, every function knows it.
 */

const { randomBytes } = require("node:crypto");
const {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} = require("@aws-sdk/client-secrets-manager");

const client = new SecretsManagerClient();

/** The secrets of a version; none if there is no such version. */
const read = async (SecretId, version) => {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId, ...version }));
    return SecretString.split(",");
  } catch (error) {
    if (error.name === "ResourceNotFoundException") return [];
    throw error;
  }
};

const next = ([first, second], [formerFirst]) =>
  second === undefined || (formerFirst !== undefined && formerFirst !== first)
    ? [first, randomBytes(48).toString("base64")]
    : [second, first];

/** Secrets Manager calls it for each step, and repeats a step that failed. */
exports.handler = async ({ SecretId, ClientRequestToken, Step }) => {
  if (Step === "createSecret") {
    if ((await read(SecretId, { VersionId: ClientRequestToken })).length > 0) return;
    const current = await read(SecretId, { VersionStage: "AWSCURRENT" });
    const previous = await read(SecretId, { VersionStage: "AWSPREVIOUS" });
    const SecretString = next(current, previous).join(",");
    const VersionStages = ["AWSPENDING"];
    await client.send(
      new PutSecretValueCommand({ SecretId, ClientRequestToken, SecretString, VersionStages }),
    );
  }
  if (Step === "finishSecret") {
    const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
    const [current] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes("AWSCURRENT"));
    if (current === ClientRequestToken) return;
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId,
        VersionStage: "AWSCURRENT",
        MoveToVersionId: ClientRequestToken,
        RemoveFromVersionId: current,
      }),
    );
  }
};
