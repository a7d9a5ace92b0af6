import { LoggedMessage, NO_LIMITS, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectMatch } from "../../expect.ts";
import { newMessage } from "../../samples.ts";
import { attributed, expectLogs } from "./agreement.ts";
import { type Command, command } from "./command.ts";
import { at } from "./model.ts";

const NOT_FOUND = { error: { code: "message_not_found" } };

/** Logs a revision of message `m` of an alias, or a new message if it has fewer. */
export const log = (n: number, m: number, revision: number): Command =>
  command(
    `log revision ${revision} of message ${m} of alias ${n}`,
    async (model, { store, service, ports }) => {
      const alias = at(model.aliases, n);
      if (alias === undefined) return;
      const { account, id: aliasId, messages } = alias;
      const known = messages[m];
      const contact = valueOf(parseEmailAddress(`Contact-${m}@sender.example`));
      const fresh = newMessage(alias, { at: ports.clock.now(), contact });
      const saved = { ...(known ?? fresh), size: revision, revision };
      valueOf(await store.messageLog.save(saved, NO_LIMITS));
      const isLater = known === undefined || revision > known.revision;
      if (isLater) messages.splice(known === undefined ? messages.length : m, 1, saved);

      const position = LoggedMessage.position(saved);
      const isOver = LoggedMessage.isOver(saved, ports.clock.now());
      expectMatch(
        await service.getMessage({ account, aliasId, position }),
        isOver ? NOT_FOUND : { value: attributed(alias, isLater ? saved : known) },
      );
      await expectLogs(model, service, ports.clock.now());
      const other = model.aliases.find(({ id }) => id !== aliasId);
      if (other === undefined) return;
      expectMatch(
        await service.getMessage({ account: other.account, aliasId: other.id, position }),
        NOT_FOUND,
      );
    },
  );
