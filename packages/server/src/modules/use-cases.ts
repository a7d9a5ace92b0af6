import {
  addRecipient,
  createAlias,
  listAliases,
  listRecipients,
  replaceRecipients,
  verifyRecipient,
} from "@postern/core";
import { ContainerModule } from "inversify";
import { tokens } from "../tokens.ts";

export const useCases = new ContainerModule(({ bind }) => {
  bind(tokens.useCases)
    .toResolvedValue(
      ({ aliases, recipients }, clock, ids, secrets, verificationMail, { aliasDomains }) => ({
        replaceRecipients: replaceRecipients({ aliases, clock }),
        createAlias: createAlias({ aliases, recipients, clock, ids, aliasDomains }),
        listAliases: listAliases({ aliases }),
        addRecipient: addRecipient({ recipients, clock, ids, secrets, verificationMail, aliasDomains }),
        verifyRecipient: verifyRecipient({ recipients, clock, secrets }),
        listRecipients: listRecipients({ recipients }),
      }),
      [tokens.store, tokens.clock, tokens.ids, tokens.secrets, tokens.verificationMail, tokens.configuration],
    )
    .inSingletonScope();
});
