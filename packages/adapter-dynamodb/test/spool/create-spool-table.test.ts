import { randomUUID } from "node:crypto";
import { createSpoolTable } from "@postern/adapter-dynamodb/spool";
import { failureOf, valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { keepOne, NOW } from "@postern/test-support/spool-mail";
import { expect, test } from "vitest";
import { useSpools } from "./support/use-spools.ts";

const { dynamo, buckets, openSpool } = useSpools();

test("creates a table in which a spool can be, and changes nothing if it is there", async () => {
  const table = `spool-${randomUUID()}`;
  valueOf(await createSpoolTable(dynamo().location, table));
  const spool = await openSpool({ table, bucket: buckets().newBucket() });
  const kept = await keepOne(spool);
  valueOf(await createSpoolTable(dynamo().location, table));
  expect(valueOf(await spool.take(NOW, 1, [])).copies.map(({ copy }) => copy.id)).toEqual([kept]);
});

test("says why the table cannot be created", async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  expect(failureOf(await createSpoolTable({ ...dynamo().location, endpoint }, "spool"))).toMatchObject({
    code: "table_error",
    reason: "ECONNREFUSED",
  });
});
