import { valueOf } from "@postern/core/testing";
import { expectEqual, expectOutcome } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import { accountOf, at, countIn, isReached } from "./model.ts";

/** Sender 2 is sender 1 in another case. */
const SENDERS = ["spam.example", "Bob@shop.example", "BOB@shop.example", "ads.example", "eve@ads.example"];

export const blockSender = (owner: number, n: number): Command =>
  command(`account ${owner} blocks sender ${n}`, async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const sender = at(SENDERS, n) ?? "";
    const known = model.blockedSenders.find(
      (each) => each.account === account && each.sender.toLowerCase() === sender.toLowerCase(),
    );
    const result = await service.blockSender({ account, sender });
    const isFull = isReached(model.limits.blockedSenders, countIn(account, model.blockedSenders));
    expectOutcome(result, [known === undefined && isFull && "too_many_blocked_senders"]);
    if (result.isErr()) return;
    const { id } = result.value;
    expectEqual(result.value, known ?? { id, account, sender, createdAt: ports.clock.now() });
    if (known === undefined) model.blockedSenders.push(result.value);
  });

/** Unblocks a sender of any account, which only its own account can do. */
export const unblockSender = (owner: number, n: number): Command =>
  command(`account ${owner} unblocks sender ${n}`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const blocked = at(model.blockedSenders, n);
    const blockedSenderId = blocked?.id ?? "a".repeat(26);
    valueOf(await service.unblockSender({ account, blockedSenderId }));
    if (blocked?.account === account) {
      model.blockedSenders.splice(model.blockedSenders.indexOf(blocked), 1);
    }
  });
