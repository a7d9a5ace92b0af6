import {
  AliasDomains,
  addRecipient,
  createAlias,
  listAliases,
  listRecipients,
  Recipient,
  replaceRecipients,
  type Store,
  verifyRecipient,
} from "@postern/core";
import type { TestPorts } from "@postern/core/testing";

export const ALIAS_DOMAIN = "alias.example";

/** Everything that can be done with a store, wired as a server would. */
export const service = ({ aliases, recipients }: Pick<Store, "aliases" | "recipients">, ports: TestPorts) => {
  const aliasDomains = AliasDomains.parse([ALIAS_DOMAIN]);
  return {
    addRecipient: addRecipient({ recipients, aliasDomains, ...ports }),
    verifyRecipient: verifyRecipient({ recipients, ...ports }),
    createAlias: createAlias({ aliases, recipients, aliasDomains, ...ports }),
    replaceRecipients: replaceRecipients({ aliases, ...ports }),
    listAliases: listAliases({ aliases }),
    listRecipients: listRecipients({ recipients }),

    /** Loads, decides and saves once; what comes of it is in the store. */
    setActive: async ({ account, id }: Pick<Recipient, "account" | "id">, active: boolean): Promise<void> => {
      const found = (await recipients.find(account, id))._unsafeUnwrap();
      if (found === null) throw new Error("the recipient was kept");
      const now = ports.clock.now();
      if (active) await recipients.save(found, Recipient.activate(found, now));
      else await Recipient.deactivate(found, now).asyncMap((off) => recipients.save(found, off));
    },
  };
};

export type Service = ReturnType<typeof service>;
