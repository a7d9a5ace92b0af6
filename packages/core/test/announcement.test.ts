import { compareIds, parseAccountId, parseWebhookId } from "@postern/core";
import { Announcement, parseAnnouncement, parseMessagePosition } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { accountId, aliasId } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const messagePosition = fc
  .nat(9_999)
  .map((at) => valueOf(parseMessagePosition(`${String(at).padStart(16, "0")}${"m".repeat(26)}`)));

const announcement = fc.record({
  account: accountId(),
  webhook: fc.constant(valueOf(parseWebhookId("w".repeat(26)))),
  alias: aliasId(),
  message: fc.option(messagePosition),
  version: fc.integer({ min: 1, max: 1_000_000_000 }),
  at: fc.nat(),
});

test("an announcement is read back from its position", async () => {
  await fc.assert(
    fc.property(announcement, (one) => {
      const { account, webhook: id } = one;
      expect(valueOf(parseAnnouncement({ account, id }, Announcement.position(one)))).toEqual(one);
    }),
  );
});

test("announcements about one subject are adjacent, in the order of their versions", async () => {
  await fc.assert(
    fc.property(
      fc.array(announcement, { minLength: 2, maxLength: 4 }),
      fc.array(fc.record({ version: fc.integer({ min: 1, max: 20 }), at: fc.nat(20) }), {
        minLength: 1,
        maxLength: 4,
      }),
      (announcements, revisions) => {
        const all = announcements
          .flatMap((each) => revisions.map((revision) => ({ ...each, ...revision })))
          .toSorted((a, b) => compareIds(Announcement.position(a), Announcement.position(b)));
        const subjects = all.map(({ alias, message }) => JSON.stringify([alias, message]));
        const changes = subjects.filter((subject, n) => subject !== subjects[n - 1]);
        expect(changes).toHaveLength(new Set(subjects).size);
        for (const [n, one] of all.entries()) {
          const next = all[n + 1];
          if (next === undefined || subjects[n] !== subjects[n + 1]) continue;
          expect(next.version - one.version || next.at - one.at).toBeGreaterThanOrEqual(0);
        }
      },
    ),
  );
});

test.each([
  "",
  "alias",
  "alias\u0001\u00010000000000000001",
  "alias\u0001\u0001\u00010000000000000001",
  "alias\u0001\u00010000000000000000\u00010000000000000001",
  "alias\u0001\u00011\u00010000000000000001",
  "alias\u0001\u000100000000000000001\u00010000000000000001",
  "alias\u0001x\u00010000000000000001\u00010000000000000001",
  "\u0001\u00010000000000000001\u00010000000000000001",
  "alias\u0001\u00010000000000000001\u00010000000000000001\u0001",
  7,
])("%j is not the position of an announcement", (position) => {
  const place = {
    account: valueOf(parseAccountId("account-1")),
    id: valueOf(parseWebhookId("w".repeat(26))),
  };
  expect(failureOf(parseAnnouncement(place, position)).code).toBe("invalid_request");
});
