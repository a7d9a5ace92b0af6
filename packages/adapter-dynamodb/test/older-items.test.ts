import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { openStore } from "./support/open-store.ts";
import { ACCOUNT, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();

test("a recipient stored with the times of its messages has the last one as verificationSentAt, until it is saved", async () => {
  const table = await dynamo().newTable();
  const store = openStore(dynamo().client(), table);
  const owner = recipient("owner");
  valueOf(await store.recipients.create(owner, NO_LIMITS));
  const { pk, sk } = Key.recipient(ACCOUNT, owner.id);
  await documents().send(
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
  store.close();
});
