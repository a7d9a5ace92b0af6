import { err } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { createAliases } from "./create-aliases.ts";
import type { Database } from "./database.ts";
import { eraseAlias } from "./erase-alias.ts";
import { findAlias } from "./find-alias.ts";
import { findByEmail } from "./find-by-email.ts";
import { decodeAll } from "./item.ts";
import { listAliases } from "./list-aliases.ts";
import { parseRecipientItem } from "./recipient-item.ts";
import { recordOutcome } from "./record-outcome.ts";
import { isRetired, listRetiredAddresses, retireAddress } from "./retired-addresses.ts";
import { saveAlias } from "./save-alias.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";

export const dynamoAliases = (database: Database, now: () => number): Aliases => {
  return {
    findWithRecipients: async (account, id, recipients, timeLeft) => {
      const keys = [...new Set(recipients)].map((recipient) => Key.recipient(account, recipient));
      const found = await findAlias(database, { account, id }, keys, deadline(database.timeoutMs, timeLeft));
      if (found.isErr()) return err(found.error);
      const { alias, others } = found.value;
      const present = others.filter((item) => item !== undefined);
      return decodeAll(database, parseRecipientItem, present).map((all) => ({ alias, recipients: all }));
    },

    findByEmail: findByEmail(database),

    list: listAliases(database),

    create: createAliases(database),

    save: saveAlias(database),

    recordOutcome: recordOutcome(database, now),

    erase: eraseAlias(database),

    retireAddress: retireAddress(database),

    isRetired: isRetired(database),

    listRetiredAddresses: listRetiredAddresses(database),
  };
};
