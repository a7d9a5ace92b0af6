import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";

const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) });

/** The permissions that AWS requires for a request: those for the contents of a transaction, otherwise the one for the operation. */
const permissionsOf = (operation: string, body: unknown): readonly string[] =>
  operation === "TransactWriteItems" || operation === "TransactGetItems"
    ? // Get, Put, Update, Delete or ConditionCheck.
      Transaction.parse(body).TransactItems.flatMap((item) => Object.keys(item).map((kind) => `${kind}Item`))
    : [operation];

/** The response of AWS to a request that IAM does not allow. */
const refusal = (permission: string): string => {
  const user = "arn:aws:iam::123456789012:user/postern";
  const table = "arn:aws:dynamodb:eu-central-1:123456789012:table/postern";
  return JSON.stringify({
    __type: "com.amazon.coral.service#AccessDeniedException",
    Message: `User: ${user} is not authorized to perform: dynamodb:${permission} on resource: ${table} because no identity-based policy allows the dynamodb:${permission} action`,
  });
};

/**
 * A DynamoDB that allows only some actions, or all of them, in front of a DynamoDB Local, which has no permissions. DynamoDB Local has no
 * backups either: the proxy only knows whether they are on.
 */
export const startPermissionProxy = async (target: string, allowed?: readonly string[]) => {
  const used = new Set<string>();
  const refused = new Set<string>();
  let backups: "DISABLED" | "ENABLED" = "DISABLED";
  const server = createServer(async (request, response) => {
    const { "x-amz-target": header = "", authorization = "" } = request.headers;
    const operation = String(header).split(".").at(-1) ?? "";
    const body = await text(request);
    response.setHeader("content-type", "application/x-amz-json-1.0");
    for (const permission of permissionsOf(operation, JSON.parse(body))) {
      if (allowed?.includes(permission) === false) {
        refused.add(permission);
        response.writeHead(400).end(refusal(permission));
        return;
      }
      used.add(permission);
    }
    if (operation.endsWith("ContinuousBackups")) {
      if (operation === "UpdateContinuousBackups") backups = "ENABLED";
      const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: backups };
      const ContinuousBackupsDescription = {
        ContinuousBackupsStatus: "ENABLED",
        PointInTimeRecoveryDescription,
      };
      response.end(JSON.stringify({ ContinuousBackupsDescription }));
      return;
    }
    const headers = {
      "x-amz-target": String(header),
      authorization,
      "content-type": "application/x-amz-json-1.0",
    };
    const forwarded = await fetch(target, { method: "POST", headers, body });
    response.writeHead(forwarded.status).end(await forwarded.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The permissions that requests have used, in alphabetical order. */
    used: () => [...used].toSorted(),
    /** The permissions that were missing. */
    refused: () => [...refused].toSorted(),
    /** Idempotent. */
    stop: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
