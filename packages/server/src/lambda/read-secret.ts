import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { err, ok, type Result } from "@postern/core";
import { systemCode } from "../system/system-code.ts";

/** Lambda gives a function ten seconds to start, and the SDK makes up to three attempts. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;

/** The text of a secret in AWS Secrets Manager; or why it cannot be read, as the name of an error. */
export const readSecret = async (SecretId: string): Promise<Result<string, string>> => {
  const client = new SecretsManagerClient({
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  try {
    const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId }));
    return text === undefined ? err("it is not text") : ok(text);
  } catch (thrown) {
    return err(systemCode(thrown));
  } finally {
    client.destroy();
  }
};
