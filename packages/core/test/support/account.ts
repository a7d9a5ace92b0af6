import { memoryStore } from "@postern/adapter-memory";
import { type Alias, err, postern, type Recipient, type Store, type Unavailable } from "@postern/core";
import { type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach } from "vitest";

export const account = "account-1";
export const aliasDomains = ["alias.example"];
export const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

/** Created anew for each test by `useAccount`. */
export let store: Store;
export let ports: TestPorts;

/** Two verified recipients. */
export let a: Recipient;
export let b: Recipient;

/** An alias of the first one. */
export let alias: Alias;

export const service = ({ aliases, recipients }: Pick<Store, "aliases" | "recipients"> = store) =>
  postern({ store: { ...store, aliases, recipients }, aliasDomains, ...ports });

export const failing = (aliases: Partial<Store["aliases"]>, recipients: Partial<Store["recipients"]> = {}) =>
  service({ aliases: { ...store.aliases, ...aliases }, recipients: { ...store.recipients, ...recipients } });

export const lastToken = () => ports.outbox.at(-1)?.token ?? "";

export const verifiedRecipient = async (email: string): Promise<Recipient> => {
  valueOf(await service().addRecipient({ account, email }));
  return valueOf(await service().verifyRecipient({ token: lastToken() }));
};

export const newAlias = async (...recipients: readonly Recipient[]): Promise<Alias> => {
  const recipientIds = recipients.map(({ id }) => id);
  return valueOf(await service().createAlias({ account, recipientIds }));
};

export const storedAlias = async () => valueOf(await service().getAlias({ account, aliasId: alias.id }));

export const stored = async ({ id }: Recipient) =>
  valueOf(await service().getRecipient({ account, recipientId: id }));

export const idsOf = ({ destinations }: Alias) => destinations.map(({ recipientId }) => recipientId);

/** Gives each test of a file a new store, in which the account has two verified recipients and an alias. */
export const useAccount = (): void =>
  beforeEach(async () => {
    store = memoryStore();
    ports = testPorts();
    a = await verifiedRecipient("a@example.org");
    b = await verifiedRecipient("b@example.org");
    alias = await newAlias(a);
    ports.clock.advance(1000);
  });
