import type { SpoolId, Store } from "@postern/core";
import type { Resend } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  ALIKE_PLACES,
  newAccount,
  newResend,
  newSpoolId,
  requestResend,
  resendsOf,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";

const check = checkOf("messages");

const storeNewAlias = async (store: Store) => {
  const account = newAccount();
  return storeAlias(store, account, [await storeRecipient(store, account)]);
};

/** Throws unless the spool has exactly these requests to send messages again. */
const expectResends = async (store: Store, resends: readonly Resend[], spool: SpoolId): Promise<void> => {
  const fieldsOf = ({ account, alias, message, at }: Resend) => JSON.stringify([account, alias, message, at]);
  expectSameItems((await resendsOf(store, spool)).map(fieldsOf), resends.map(fieldsOf));
};

const finish = async (store: Store, resend: Resend): Promise<void> =>
  valueOf(await store.resends.finish(resend));

export const resendChecks: readonly Check[] = [
  check("a request to send a message again is listed for its spool until it is finished", async (store) => {
    const alias = await storeNewAlias(store);
    const resend = newResend(alias);
    expectEqual(await resendsOf(store, resend.spool), []);
    await requestResend(store, resend);
    expectEqual(await resendsOf(store, resend.spool), [resend]);
    expectEqual(await resendsOf(store, newSpoolId()), []);
    for (let times = 0; times < 2; times += 1) {
      await finish(store, resend);
      expectEqual(await resendsOf(store, resend.spool), []);
    }
    const again = await requestResend(store, { ...resend, at: resend.at + 1 });
    expectEqual(await resendsOf(store, resend.spool), [again]);
  }),

  check("a request that is made again is listed once, with the latest time", async (store) => {
    const alias = await storeNewAlias(store);
    const delays = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(delays, async (made) => {
        const resend = newResend(alias);
        const at = (delay: number) => ({ ...resend, at: resend.at + delay });
        for (const [n, delay] of made.entries()) {
          await requestResend(store, at(delay));
          expectEqual(await resendsOf(store, resend.spool), [at(Math.max(...made.slice(0, n + 1)))]);
        }
      }),
      runs(25),
    );
  }),

  check("finishing a request leaves one that was made later", async (store) => {
    const first = await requestResend(store, newResend(await storeNewAlias(store)));
    const later = await requestResend(store, { ...first, at: first.at + 1 });
    await finish(store, first);
    expectEqual(await resendsOf(store, first.spool), [later]);
    await finish(store, later);
    expectEqual(await resendsOf(store, first.spool), []);
  }),

  check("requests for another spool, account, alias or message are separate", async (store) => {
    const { spool, message } = newResend(await storeNewAlias(store));
    const resends: Resend[] = [];
    for (const { account, id } of ALIKE_PLACES) {
      const alias = await storeAlias(store, account, [await storeRecipient(store, account)], { id });
      const resend = await requestResend(store, newResend(alias, { spool, message }));
      resends.push(resend);
      // Later, so that a store that mistakes the two for one keeps this one.
      await requestResend(store, newResend(alias, { message, at: resend.at + 1 }));
    }
    const other = newResend(await storeNewAlias(store), { spool });
    resends.push(await requestResend(store, other), await requestResend(store, { ...other, message }));
    await expectResends(store, resends, spool);
    while (resends.length > 0) {
      const [resend] = resends.splice(Math.floor(resends.length / 2), 1);
      if (resend !== undefined) await finish(store, resend);
      await expectResends(store, resends, spool);
    }
  }),

  check("as many requests are listed as are asked for, each once, until all are finished", async (store) => {
    const alias = await storeNewAlias(store);
    const spool = newSpoolId();
    const resends: Resend[] = [];
    for (let n = 0; n < 7; n += 1) {
      resends.push(await requestResend(store, newResend(alias, { spool, at: Date.now() - n })));
    }
    for (const left of [7, 4, 1]) {
      const listed = valueOf(await store.resends.list(spool, 3));
      expectEqual(listed.length, Math.min(3, left));
      for (const resend of listed) {
        await finish(store, resend);
        const place = resends.findIndex(({ message }) => message === resend.message);
        expectEqual(resends.splice(place, 1), [resend]);
      }
    }
    expectEqual(resends, []);
  }),

  check("requests are not shared with callers", async (store) => {
    const resend = newResend(await storeNewAlias(store));
    const given = structuredClone(resend);
    await requestResend(store, given);
    tryToChange(given);
    tryToChange(await resendsOf(store, resend.spool));
    expectEqual(await resendsOf(store, resend.spool), [resend]);
  }),
];
