import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { type EmailAddress, parseDomain, type Store } from "@postern/core";
import { markOfSpool } from "@postern/core/operations";
import { testPorts, valueOf } from "@postern/core/testing";
import { beginBounceProbe } from "@postern/mail";
import { expect } from "vitest";

const DOMAIN = "alias.example";

/** A deployment whose server has sent copies, and what is kept in its store for that server. */
export const newDeployment = () => {
  const { secrets, clock } = testPorts();
  const store = memoryStore();
  const spool = memorySpool({ limit: 1_000_000 });
  return {
    store,
    /** For whatever reads events, with some calls replaced. */
    ports: (handedReports: Partial<Store["handedReports"]> = {}) => ({
      store: { handedReports: { ...store.handedReports, ...handedReports } },
      secrets,
      clock,
      aliasDomains: [DOMAIN],
    }),
    /** The envelope sender of another copy. */
    sender: async (): Promise<EmailAddress> => {
      const probe = await beginBounceProbe({ secrets, clock, spool }, valueOf(parseDomain(DOMAIN)));
      return valueOf(probe).envelope.from ?? expect.unreachable("copies have one");
    },
    /** What is kept, as `outcome copy`, in order. */
    kept: async (): Promise<readonly string[]> =>
      valueOf(await store.handedReports.list(markOfSpool(spool.id), 10_000))
        .map(({ copy, outcome }) => `${outcome} ${copy}`)
        .toSorted(),
  };
};

/** What is kept because of this outcome of the copy with this envelope sender. */
export const keptAs = (outcome: string, sender: EmailAddress): string => `${outcome} ${sender.split("-")[1]}`;
