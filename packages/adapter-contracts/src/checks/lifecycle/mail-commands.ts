import type { MailOutcome } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import { accountOf, aliasAddress, at, isOver, UNKNOWN } from "./model.ts";

/** Resolves an address, which the core tries without its tag if there is no exact match. */
export const resolve = (n: number, tag: string | null, upperCase: boolean): Command =>
  command(`resolve address ${n} with tag ${tag}`, async (model, { service, ports }) => {
    const email = aliasAddress(model, n);
    const tagged = tag === null ? email : email.replace("@", `+${tag}@`);
    const resolved = await service.resolveAlias({ address: upperCase ? tagged.toUpperCase() : tagged });
    const exact = model.aliases.find((alias) => alias.email === tagged);
    const base = tagged.replace(/\+.*@/, "@");
    const alias = exact ?? model.aliases.find((each) => each.email === base);
    const expectedTag = exact === undefined ? tagged.slice(base.indexOf("@") + 1, tagged.indexOf("@")) : null;
    if (alias === undefined) {
      expectMatch(resolved, { error: { code: "alias_not_found" } });
    } else if (alias.deletedAt !== null) {
      expectMatch(resolved, { error: { code: "alias_deleted" } });
    } else if (!alias.active || isOver(alias, ports.clock.now())) {
      expectMatch(resolved, {
        error: {
          code: "alias_inactive",
          account: alias.account,
          aliasId: alias.id,
          isOver: alias.active,
        },
      });
    } else {
      const { id, destinations, version } = alias;
      const found = valueOf(resolved);
      expectMatch(found.alias, { id, destinations, version });
      expectEqual(found.tag?.toLowerCase() ?? null, expectedTag);
    }
  });

/** Reports an event. Only its first report counts, even if later ones differ. */
export const report = (
  n: number,
  event: number,
  outcome: MailOutcome,
  ago: number,
  byAddress: boolean,
): Command =>
  command(
    `report event ${event} of alias ${n}: ${outcome}, ${ago} ms ago`,
    async (model, { service, ports }) => {
      const target = at([...model.aliases, ...model.erased], n);
      const eventId = `event-${event}`;
      const reported = { outcome, at: ports.clock.now() - ago };
      const { account, id, email } = target ?? {
        account: accountOf(model, n),
        id: UNKNOWN,
        email: aliasAddress(model, n),
      };
      const reference = byAddress ? { email: email.toUpperCase() } : { account, id };
      const recorded = await service.recordMailOutcome({ alias: reference, eventId, ...reported });
      const alias = model.aliases.find((each) => each === target);
      if (alias === undefined) {
        expectMatch(recorded, { error: { code: "alias_not_found" } });
        return;
      }
      expectMatch(recorded, { value: alias.events.has(eventId) ? "duplicate" : "recorded" });
      if (!alias.events.has(eventId)) alias.events.set(eventId, reported);
    },
  );
