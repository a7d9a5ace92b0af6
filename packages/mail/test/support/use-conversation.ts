import { valueOf } from "@postern/core/testing";
import type { ArrivedMail } from "@postern/mail";
import { beforeEach, expect } from "vitest";
import { parseAddressList } from "../../src/header/address-list.ts";
import { HeaderFields } from "../../src/header/header-fields.ts";
import { ACCOUNT } from "./account.ts";
import { useMailPlane } from "./use-mail-plane.ts";

export const ALIAS = "shop@alias.example";
export const FROM_ME = { From: "Secret Name <me@home.example>" } as const;

export const headerOf = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** The value of a field in a header. */
export const valueIn = (header: string, name: string): string | undefined =>
  HeaderFields.values(HeaderFields.split(header), name)[0];

export const addressIn = (header: string, name: string): string =>
  parseAddressList(valueIn(header, name) ?? "")[0]?.address ?? expect.fail(`no ${name}`);

/** An alias of me@home.example, new for each test, and the mail to it and from it. */
export const useConversation = () => {
  const world = useMailPlane();
  let home: string;
  let aliasId: string;
  beforeEach(async () => {
    home = await world.recipient("me@home.example");
    aliasId = await world.alias(ALIAS, [home]);
  });

  /** Sends a message to these addresses. Returns what is sent as a result. */
  const send = async (
    to: readonly string[],
    fields: Readonly<Record<string, string>>,
    changed: Partial<ArrivedMail> = {},
  ) => {
    const before = world.relay().sent.length;
    await world.received(await world.mail(to, { header: headerOf(fields), ...changed }));
    await world.forward(world.plane());
    return world.relay().sent.slice(before);
  };

  return {
    world,
    home: () => home,
    aliasId: () => aliasId,
    send,
    /** The reverse address of Bob, who has written to the alias. */
    reverseOfBob: async (): Promise<string> => {
      const [sent] = await send([ALIAS], { From: "Bob <bob@sender.example>", To: ALIAS });
      return addressIn(sent?.header ?? "", "from");
    },
    contacts: async () => valueOf(await world.service().listContacts({ account: ACCOUNT, aliasId })).items,
  };
};
