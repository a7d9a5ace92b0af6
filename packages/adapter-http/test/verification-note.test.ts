import {
  parseAccountId,
  parseEmailAddress,
  parseRecipientId,
  Recipient,
  VERIFICATION_DELIVERIES,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { recipientJson } from "../src/responses/recipient-json.ts";

const added = Recipient.add(
  {
    id: valueOf(parseRecipientId("recipient-1")),
    account: valueOf(parseAccountId("ada")),
    email: valueOf(parseEmailAddress("ada@home.example")),
    nonce: "nonce-1",
  },
  1,
);

const noteOf = (changed: Partial<Recipient>) =>
  String(recipientJson({ ...added, ...changed }).verification_note);

test("each note says something else, and how to get another link; a verified recipient has none", () => {
  const notes = [null, ...VERIFICATION_DELIVERIES].map((verificationDelivery) =>
    noteOf({ verificationDelivery }),
  );
  expect(new Set(notes).size).toBe(notes.length);
  for (const note of notes)
    expect(note).toMatch(/request another one with POST \/recipients\/{recipient_id}\/verification\.$/);
  for (const verificationDelivery of VERIFICATION_DELIVERIES)
    expect(noteOf({ verificationDelivery, verifiedAt: 2 })).toBe("null");
});

test("nobody is told to check an address that is not to blame", () => {
  const blamed = VERIFICATION_DELIVERIES.filter((verificationDelivery) =>
    /check the address/i.test(noteOf({ verificationDelivery })),
  );
  expect(blamed).toEqual(["refused", "expired", "message_rejected"]);
});
