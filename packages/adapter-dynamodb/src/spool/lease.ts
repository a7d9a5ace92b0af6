import { randomInt, randomUUID } from "node:crypto";
import { type Clock, err, newSpoolId, ok, type Result, type SpoolId, type Unavailable } from "@postern/core";
import { count, spoolId } from "@postern/core/operations";
import * as z from "zod";
import { CORRUPT_ITEM, unavailable } from "../cause.ts";
import { type Database, readOne, updateIf, type Write } from "../database.ts";
import { LEASE } from "./spool-items.ts";

/** How long a process has the spool to itself after each change and each renewal, in milliseconds. */
export const LEASE_MS = 60_000;

/** Another process has the spool open. */
export type SpoolInUse = { readonly code: "in_use" };

/** Another process has taken the lease, or this one has taken it anew since. */
export const LEASE_LOST: Unavailable = unavailable("another process has the lease of the spool");

export type Lease = {
  readonly spool: SpoolId;
  /** Incremented whenever the lease is taken: whoever took an earlier one cannot write any more. */
  readonly epoch: number;
  /** Until when nobody else takes the lease, in epoch milliseconds; 0 once it was given back. */
  until: number;
  /** Incremented by each transaction that changes the spool. */
  version: number;
  /** When objects were last looked for that belong to no message, in epoch milliseconds. */
  tidiedAt: number;
};

const Item = z.object({
  spool: spoolId,
  epoch: count,
  holder: z.string(),
  leasedUntil: count,
  tidiedAt: count,
  version: count.default(0),
});

/** Takes, renews and gives back the lease of a spool. */
export const leasing = (database: Database, clock: Pick<Clock, "now">) => {
  /** Distinguishes this spool from others that are open. */
  const holder = randomUUID();
  const first = { spool: newSpoolId(randomInt), epoch: 0, holder, leasedUntil: 0, tidiedAt: 0, version: 0 };

  const renewed = ({ epoch, tidiedAt }: Lease, until: number) => ({
    Key: { ...LEASE },
    UpdateExpression: "SET leasedUntil = :until, tidiedAt = :tidied",
    ConditionExpression: "epoch = :epoch",
    ExpressionAttributeValues: { ":epoch": epoch, ":until": until, ":tidied": tidiedAt },
  });

  return {
    /**
     * Takes the lease, unless another spool has it; also anew: then whatever is still under way cannot be applied any more. It does not
     * matter how often the request arrives.
     */
    take: async (signal: AbortSignal): Promise<Result<Lease, SpoolInUse | Unavailable>> => {
      const now = clock.now();
      const until = now + LEASE_MS;
      const item = await readOne(database, LEASE, signal);
      if (item.isErr()) return err(item.error);
      const found = Item.safeParse(item.value ?? first);
      if (!found.success) {
        database.onCorruptItem(LEASE);
        return err(CORRUPT_ITEM);
      }
      const { epoch: before, leasedUntil, holder: other, spool, tidiedAt, version } = found.data;
      if (other !== holder && leasedUntil > now) return err({ code: "in_use" });
      const epoch = before + 1;
      const taken = await updateIf(
        database,
        {
          Key: { ...LEASE },
          UpdateExpression:
            "SET epoch = :epoch, holder = :holder, leasedUntil = :until, spool = :spool, tidiedAt = :tidied",
          ConditionExpression:
            "attribute_not_exists(pk) OR (epoch = :before AND leasedUntil = :ended) OR (epoch = :epoch AND holder = :holder)",
          ExpressionAttributeValues: {
            ":before": before,
            ":ended": leasedUntil,
            ":epoch": epoch,
            ":holder": holder,
            ":until": until,
            ":spool": spool,
            ":tidied": tidiedAt,
          },
        },
        signal,
      );
      if (taken.isErr()) return err(taken.error);
      return taken.value === null ? err({ code: "in_use" }) : ok({ spool, epoch, until, tidiedAt, version });
    },

    /** Renews the lease in a transaction that changes the spool, which is applied only if it was not taken anew. */
    renewal: (lease: Lease, until: number): Write => {
      const { UpdateExpression, ExpressionAttributeValues, ...update } = renewed(lease, until);
      return {
        Update: {
          ...update,
          TableName: database.table,
          UpdateExpression: `${UpdateExpression} ADD version :one`,
          ExpressionAttributeValues: { ...ExpressionAttributeValues, ":one": 1 },
        },
      };
    },

    /** Renews the lease by itself. Returns whether it was not taken anew. */
    renew: async (lease: Lease, signal: AbortSignal): Promise<Result<boolean, Unavailable>> => {
      const until = clock.now() + LEASE_MS;
      const item = await updateIf(database, renewed(lease, until), signal);
      if (item.isOk() && item.value !== null) lease.until = until;
      return item.map((found) => found !== null);
    },

    /** Lets anybody take the lease. If that fails, it ends by itself. Until somebody does, it can be renewed. */
    giveBack: async (lease: Lease, signal: AbortSignal): Promise<void> => {
      lease.until = 0;
      await updateIf(database, renewed(lease, 0), signal);
    },
  };
};
