import { newDirectory } from "@postern/test-support/new-directory";
import { runsWhole } from "@postern/test-support/runs-whole";
import { onTestFinished, test } from "vitest";
import { checkServer, type MailServer, mailSetup } from "../support/compare-mail.ts";
import { HARAKA, LEAST_MAIL, POSTFIX } from "../support/contenders.ts";
import { AUDIENCE, startIssuer } from "../support/server.ts";
import { startMailLoad, startMailServer } from "../support/start-mail.ts";

/* The baselines of mail are honest: they forward to the right mailboxes, and sign as Postern does. */

const SERVERS: readonly MailServer[] = runsWhole(import.meta.url)
  ? [{ name: "Postern" }, POSTFIX, HARAKA, LEAST_MAIL]
  : [LEAST_MAIL];

// The clients have several loopback addresses, which only Linux has.
test.runIf(process.platform === "linux").each(SERVERS)(
  "$name forwards to the alias's mailbox, and signs",
  async ({ name, baseline }) => {
    const issuer = await startIssuer();
    onTestFinished(issuer.stop);
    const load = await startMailLoad();
    onTestFinished(load.stop);
    const contender = { name, size: 10_000, signed: false, arc: false, mailboxes: 1 };
    const setup = { issuer: issuer.url, audience: AUDIENCE, directory: newDirectory() };
    const server = await startMailServer(mailSetup({ setup }, load, contender), baseline);
    onTestFinished(server.stop);
    await checkServer(server, load, contender);
  },
);
