import { testSpool } from "@postern/adapter-contracts/vitest";
import type { DynamoSpool } from "@postern/adapter-dynamodb/spool";
import { valueOf } from "@postern/core/testing";
import { LONG, useSpools } from "./support/use-spools.ts";

const { newPlace, open } = useSpools();

testSpool("dynamoSpool", async ({ limit }) => {
  const place = await newPlace();
  const opened: DynamoSpool[] = [];
  const openNext = async () => {
    // What a crash would leave: the lease of the one before has ended when this one opens.
    const later = opened.length * LONG;
    const spool = valueOf(await open(place, { limit, clock: { now: () => Date.now() + later } }));
    opened.push(spool);
    return spool;
  };
  return {
    spool: await openNext(),
    reopen: openNext,
    close: async () => {
      for (const spool of opened) await spool.close();
    },
  };
});
