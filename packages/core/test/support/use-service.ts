import { memoryStore } from "@postern/adapter-memory";
import {
  type AliasId,
  err,
  type Ports,
  postern,
  type RecipientId,
  type Store,
  type Unavailable,
} from "@postern/core";
import type { Aliases, Recipients } from "@postern/core/store";
import { type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach } from "vitest";

export const ACCOUNT = "account-1";

/** What a failing call of a port returns. */
export const UNAVAILABLE: Unavailable = { code: "unavailable" };

/** A failing call of a port. */
export const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

/** The service with the test ports, on a store in memory that is new for each test. */
export const useService = () => {
  let store: Store;
  let ports: TestPorts;
  beforeEach(() => {
    store = memoryStore();
    ports = testPorts();
  });

  const service = (changed: Partial<Ports> = {}) =>
    postern({ store, aliasDomains: ["Alias.example", "second.example"], ...ports, ...changed });
  const lastToken = () => ports.outbox.at(-1)?.token ?? "";
  return {
    store: () => store,
    ports: () => ports,
    /** The service, with other ports if given. */
    service,
    /** The service, with some calls of the store replaced by failing ones. */
    failing: (aliases: Partial<Aliases>, recipients: Partial<Recipients> = {}) =>
      service({
        store: {
          ...store,
          aliases: { ...store.aliases, ...aliases },
          recipients: { ...store.recipients, ...recipients },
        },
      }),
    /** The token of the last message that was sent. */
    lastToken,
    verifiedRecipient: async (email: string): Promise<RecipientId> => {
      const { recipient } = valueOf(await service().addRecipient({ account: ACCOUNT, email }));
      valueOf(await service().verifyRecipient({ token: lastToken() }));
      return recipient.id;
    },
    newAlias: async (recipientIds: readonly string[]): Promise<AliasId> => {
      const command = { account: ACCOUNT, email: "shop@alias.example", recipientIds: [...recipientIds] };
      return valueOf(await service().createAlias(command)).id;
    },
  };
};
