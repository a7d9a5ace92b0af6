import { memoryStore } from "@postern/adapter-memory";
import { ok, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { nodePorts, systemClock, uuids } from "@postern/node";
import { describe, expect, test } from "vitest";

const SECRET = "0123456789abcdef0123456789abcdef";
const account = "tenant-1";

describe("nodePorts", () => {
  test("run the core together with a store and outgoing mail", async () => {
    const store = memoryStore();
    const outbox: string[] = [];
    const start = (linkSecret: string) =>
      postern({
        store,
        aliasDomains: ["alias.example"],
        verificationMail: {
          send: async ({ token }) => {
            outbox.push(token);
            return ok();
          },
        },
        ...nodePorts({ linkSecrets: [linkSecret] }),
      });
    const service = start(SECRET);

    const { recipient } = valueOf(await service.addRecipient({ account, email: "me@home.example" }));
    const token = outbox[0] ?? expect.unreachable("no message was sent");
    expect(await start(SECRET.toUpperCase()).verifyRecipient({ token })).toMatchObject({
      error: { code: "link_invalid" },
    });
    // Simulates another process with the same secret: nothing about the link is kept in memory.
    expect(valueOf(await start(SECRET).verifyRecipient({ token })).id).toBe(recipient.id);

    const alias = valueOf(await service.createAlias({ account, recipientIds: [recipient.id] }));
    expect(alias.destinations).toEqual([{ recipientId: recipient.id, email: "me@home.example" }]);
  });

  test("are the exported clock, ids and secrets", () => {
    const ports = nodePorts({ linkSecrets: [SECRET] });
    expect(ports).toEqual({ clock: systemClock, ids: uuids, secrets: expect.anything() });
  });

  test("reject a short link secret without repeating it", () => {
    const make = () => nodePorts({ linkSecrets: [SECRET, SECRET.slice(1)] });
    expect(make).toThrow(TypeError);
    expect(make).toThrow("must be at least 32 bytes long (secret 2 is shorter)");
    expect(make).not.toThrow(SECRET.slice(1));
  });
});
