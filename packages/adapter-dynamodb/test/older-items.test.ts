import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { ACCOUNT, NOW, recipient } from "./support/samples.ts";

let dynamo: DynamoDbLocal;
beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
}, 60_000);
afterAll(() => dynamo.stop());

test("a recipient stored with the times of its messages has the last one as verificationSentAt, until it is saved", async () => {
  const table = await dynamo.newTable();
  const documents = DynamoDBDocumentClient.from(dynamo.client());
  const store = dynamoStore({
    client: dynamo.client(),
    table,
    clock: Date,
    onCorruptItem: () => expect.unreachable("no item is corrupt"),
    timeoutMs: 30_000,
  });
  const owner = recipient("owner");
  valueOf(await store.recipients.create(owner, NO_LIMITS));
  const { pk, sk } = Key.recipient(ACCOUNT, owner.id);
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: "SET mailedAt = :times REMOVE verificationSentAt",
      ExpressionAttributeValues: { ":times": [NOW - 2, NOW - 1] },
    }),
  );
  const older = { ...owner, verificationSentAt: NOW - 1 };
  expect(valueOf(await store.recipients.find(ACCOUNT, owner.id))).toEqual(older);
  const saved = { ...older, verificationSentAt: null, nonce: "new", version: 2 };
  valueOf(await store.recipients.save(older, saved));
  expect(valueOf(await store.recipients.find(ACCOUNT, owner.id))).toEqual(saved);
  documents.destroy();
  store.close();
});
