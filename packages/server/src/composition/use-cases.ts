import {
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  getAlias,
  getRecipient,
  listAliases,
  listRecipients,
  reassignRecipient,
  replaceRecipients,
  resendVerification,
  restoreAlias,
  updateAlias,
  updateRecipient,
  verifyRecipient,
} from "@postern/core";
import { ContainerModule } from "inversify";
import { tokens } from "./tokens.ts";

export const useCases = new ContainerModule(({ bind }) => {
  bind(tokens.useCases)
    .toResolvedValue(
      ({ aliases, recipients }, clock, ids, secrets, verificationMail, { aliasDomains }) => ({
        replaceRecipients: replaceRecipients({ aliases, clock }),
        createAlias: createAlias({ aliases, recipients, clock, ids, secrets, aliasDomains }),
        getAlias: getAlias({ aliases }),
        listAliases: listAliases({ aliases }),
        updateAlias: updateAlias({ aliases, clock }),
        deleteAlias: deleteAlias({ aliases, clock }),
        restoreAlias: restoreAlias({ aliases, recipients, clock }),
        addRecipient: addRecipient({ recipients, clock, ids, secrets, verificationMail, aliasDomains }),
        verifyRecipient: verifyRecipient({ recipients, clock, secrets }),
        getRecipient: getRecipient({ recipients }),
        listRecipients: listRecipients({ recipients }),
        updateRecipient: updateRecipient({ aliases, recipients, clock }),
        deleteRecipient: deleteRecipient({ aliases, recipients, clock }),
        resendVerification: resendVerification({ recipients, clock, secrets, verificationMail }),
        reassignRecipient: reassignRecipient({ aliases, recipients, clock }),
      }),
      [tokens.store, tokens.clock, tokens.ids, tokens.secrets, tokens.verificationMail, tokens.configuration],
    )
    .inSingletonScope();
});
