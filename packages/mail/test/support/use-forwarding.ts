import type { AliasId, CopyId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Envelope, MailPlane } from "@postern/mail";
import { beforeEach, expect } from "vitest";
import { copyOfBounceAddress } from "../../src/message/bounce-address.ts";
import { counted, useMailPlane } from "./use-mail-plane.ts";

export const MINUTE = 60_000;
export const ALIAS = "shop@alias.example";

/** The copy that is sent in this envelope. */
export const copyIdOf = ({ from }: Pick<Envelope, "from">): CopyId =>
  (from && copyOfBounceAddress(from)) ?? expect.fail("no copy is named");

/** A mail plane that forwards messages to aliases, new for each test. */
export const useForwarding = () => {
  const world = useMailPlane();
  let plane: MailPlane;
  beforeEach(() => {
    plane = world.plane();
  });
  const receive = async (address: string) => world.received(await world.mail([address]), plane);
  return {
    world,
    plane: () => plane,
    /** Forwards with this mail plane from now on. */
    use: (other: MailPlane) => {
      plane = other;
    },
    receive,
    /** An alias with these recipients, and a message to it. */
    messageTo: async (mailboxes: readonly string[], alias = ALIAS): Promise<AliasId> => {
      const recipients = [];
      for (const mailbox of mailboxes) recipients.push(await world.recipient(mailbox));
      const id = await world.alias(alias, recipients);
      await receive(alias);
      return id;
    },
    /** Forwards until no more copies are due. Returns how many were tried, and when the next one is due. */
    forwardAll: () => world.forward(plane),
    /** How often each outcome was counted for an alias. */
    tallies: async (alias: AliasId) => {
      valueOf(await plane.countOutcomes());
      return counted(await world.tallies(alias));
    },
    recipientsOfAttempts: () => world.relay().sent.map(({ envelope }) => String(envelope.to)),
  };
};
