import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { newDirectory } from "@postern/test-support/new-directory";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, onTestFinished, test } from "vitest";
import { attackerOf } from "./support/attacker.ts";
import { unlimited } from "./support/environment.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startMeasuredServer } from "./support/measured-server.ts";
import { startPrometheus } from "./support/prometheus.ts";

/*
 * Real failures of real servers, as Prometheus sees them with the rules in `deploy`. Time runs 30 times as fast: Prometheus
 * scrapes twice a second, and 5 minutes in a rule are 10 seconds. Each server has one failure, which causes its alerts.
 */
const SPEED = 30;

/** Otherwise, all is well for a shorter time, and there is no crowd, which is turned away only after half a minute. */
const WHOLE = runsWhole(import.meta.url);

/** These may be right on a machine that runs other tests at the same time. */
const ABOUT_THE_MACHINE = new Set(["PosternSlow", "PosternEventLoopLate"]);

/** Repeats the action until the test ends, whether or not it succeeds. */
const keepDoing = (action: () => Promise<unknown>, pauseMs: number): void => {
  const ended = new AbortController();
  const repeat = async () => {
    while (!ended.signal.aborted) {
      await action().catch(() => {});
      await setTimeout(pauseMs);
    }
  };
  const done = repeat();
  onTestFinished(async () => {
    ended.abort();
    await done;
  });
};

/** A server with its issuer, mail server and file, in constant use by clients. */
const start = async () => {
  const mailbox = await startMailbox();
  onTestFinished(mailbox.stop);
  const { url, pid, kill, provider, metrics } = await startMeasuredServer({
    ...unlimited,
    POSTERN_STORE: "sqlite",
    POSTERN_SQLITE_PATH: join(newDirectory(), "postern.db"),
    POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
  });
  const call = async (method: string, path: string, body?: object, token = provider.token) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  let recipients = 0;
  const addRecipient = () => {
    recipients += 1;
    return call("POST", "/recipients", { recipient_email: `mailbox-${recipients}@example.com` });
  };
  expect([await call("GET", "/health"), await addRecipient()]).toEqual([200, 201]);
  keepDoing(async () => [await call("GET", "/aliases"), await call("GET", "/health")], 500);
  return { instance: new URL(metrics).host, url, pid, kill, provider, mailbox, call, addRecipient };
};

test("each failure fires its alerts, and no alert fires while all is well", async () => {
  const [well, unwritable, withoutMail, withoutKeys, attacked, killed] = await Promise.all([
    start(),
    start(),
    start(),
    start(),
    start(),
    start(),
  ]);
  const crowded = WHOLE ? await start() : undefined;
  const servers = {
    well,
    unwritable,
    withoutMail,
    withoutKeys,
    attacked,
    killed,
    ...(crowded !== undefined && { crowded }),
  };
  const prometheus = await startPrometheus(
    Object.values(servers).map(({ instance }) => instance),
    { speed: SPEED },
  );

  /** The alerts that are firing, by server. */
  const firing = async (): Promise<Record<string, readonly string[]>> => {
    const alerts = (await prometheus.alerts()).filter(
      ({ state, labels: { alertname } }) => state === "firing" && !ABOUT_THE_MACHINE.has(alertname),
    );
    return Object.fromEntries(
      [...Object.entries(servers), ["none", { instance: undefined }] as const]
        .map(
          ([name, { instance }]) =>
            [
              name,
              alerts
                .filter(({ labels }) => labels.instance === instance)
                .map(({ labels }) => labels.alertname)
                .toSorted(),
            ] as const,
        )
        .filter(([, names]) => names.length > 0),
    );
  };

  for (let scrapes = 0; scrapes < (WHOLE ? 24 : 6); scrapes += 1) {
    expect(await firing()).toEqual({});
    await setTimeout(500);
  }

  // The limit on the size of files makes every write fail, as on a full disk. Node ignores the signal that comes with it.
  execFileSync("prlimit", [`--pid=${unwritable.pid}`, "--fsize=0:unlimited"]);
  keepDoing(unwritable.addRecipient, 500);

  await withoutMail.mailbox.stop();
  expect(await withoutMail.addRecipient()).toBe(201);
  keepDoing(withoutMail.addRecipient, 2000);

  // An unknown key makes the server ask the issuer again. It keeps the old keys, so it still accepts tokens.
  withoutKeys.provider.break(true);
  const unknownKey = withoutKeys.provider.tokenOf("somebody", "unknown");
  keepDoing(() => withoutKeys.call("GET", "/aliases", undefined, unknownKey), 2000);

  const wrong = attacked.provider.tokenOf("somebody", "test", { aud: "another" });
  const requests = Array.from({ length: 10 });
  keepDoing(() => Promise.all(requests.map(() => attacked.call("GET", "/aliases", undefined, wrong))), 250);

  if (crowded !== undefined) {
    const clients = attackerOf(crowded.url);
    onTestFinished(clients.leave);
    for (let account = 0; account < 12; account += 1) {
      const token = crowded.provider.tokenOf(`account-${account}`);
      const unfinished =
        `POST /recipients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
      await clients.open(50, () => unfinished);
    }
  }

  killed.kill();

  // Each alert fires after a different time.
  const fired: Record<string, Set<string>> = {};
  const allFired = async () => {
    for (const [server, alerts] of Object.entries(await firing())) {
      fired[server] = new Set([...(fired[server] ?? []), ...alerts]);
    }
    return fired;
  };
  await expect.poll(allFired, { interval: 250 }).toEqual({
    unwritable: new Set(["PosternStoreFailing", "PosternStoreKeepsFailing"]),
    withoutMail: new Set(["PosternMailFailing"]),
    withoutKeys: new Set(["PosternKeysNotFetched"]),
    attacked: new Set(["PosternManyNewTokens", "PosternMostTokensRefused", "PosternTokensRefused"]),
    ...(crowded !== undefined && { crowded: new Set(["PosternManyRequests"]) }),
    killed: new Set(["PosternDown"]),
  });
});
