import { ClientError, type Schemas } from "@postern/client";
import { useQuery } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/api.ts";
import { number } from "../format.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";

type Limits = Schemas["Service"]["limits"];

/** More of what is cheap to count is not counted. */
const MOST = 1_000;

const countCheap = async (signal: AbortSignal) => {
  const counts = { recipients: 0, unverified_recipients: 0, blocked_senders: 0 };
  for await (const { verified } of api.allRecipients({ limit: 100 }, { signal })) {
    counts.recipients += 1;
    if (!verified) counts.unverified_recipients += 1;
    if (counts.recipients === MOST) break;
  }
  for await (const _ of api.allBlockedSenders({ limit: 100 }, { signal })) {
    counts.blocked_senders += 1;
    if (counts.blocked_senders === MOST) break;
  }
  const { webhooks } = (await api.listWebhooks({ signal })).data;
  const { keys } = (await api.listApiKeys({ signal })).data;
  return { ...counts, webhooks: webhooks.length, keys: keys.length };
};

/** Aliases can be so many that they are counted only when somebody asks. */
const AliasCount = ({ limit }: { readonly limit: number | null }) => {
  const [count, setCount] = useState<number | null>(null);
  const [isCounting, setCounting] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setError(null);
    setCounting(true);
    let found = 0;
    try {
      for (const deleted of [false, true]) {
        for await (const _ of api.allAliases({ limit: 100, deleted }, { signal })) {
          found += 1;
          if (found % 100 === 0) setCount(found);
        }
      }
      setCount(found);
      announce(words.settings.used(number(found), limit));
    } catch (failed) {
      if (signal.aborted) return;
      if (!(failed instanceof ClientError)) throw failed;
      setCount(null);
      setError(failed);
    }
    setCounting(false);
  };
  return (
    <>
      {count !== null && (
        <span>{isCounting ? number(count) : words.settings.used(number(count), limit)}</span>
      )}
      {(count === null || isCounting) && (
        <Button busy={isCounting} onClick={() => void start()}>
          {isCounting ? words.settings.counting : words.settings.count}
        </Button>
      )}
      <ProblemNotice error={error} />
    </>
  );
};

const COUNTED = ["recipients", "unverified_recipients", "blocked_senders", "keys", "webhooks"] as const;

/** What there is a limit of, but nothing to count. */
const OTHERS = [
  "requests_per_minute",
  "creations_per_minute",
  "verification_messages_per_day",
  "contacts_per_alias",
  "logged_messages",
  "logged_messages_per_alias",
] as const satisfies readonly Exclude<keyof Limits, "aliases" | (typeof COUNTED)[number]>[];

/** How much somebody has of what is limited. */
export const Usage = ({ limits }: { readonly limits: Limits }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => countCheap(signal),
  });
  const counted = (name: (typeof COUNTED)[number]): string => {
    const count = data?.[name];
    if (count === undefined) return error === null ? words.common.loading : "";
    return words.settings.used(count === MOST ? words.settings.orMore(count) : number(count), limits[name]);
  };
  return (
    <section class="card">
      <h2>{words.settings.usage}</h2>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      <dl class="amounts">
        <div>
          <dt>{words.settings.limits.aliases}</dt>
          <dd>
            <AliasCount limit={limits.aliases} />
          </dd>
        </div>
        {COUNTED.map((name) => (
          <div key={name}>
            <dt>{words.settings.limits[name]}</dt>
            <dd>{counted(name)}</dd>
          </div>
        ))}
      </dl>
      <h3>{words.settings.otherLimits}</h3>
      <dl class="amounts quiet">
        {OTHERS.map((name) => {
          const limit = limits[name];
          return (
            <div key={name}>
              <dt>{words.settings.limits[name]}</dt>
              <dd>{limit === null ? words.settings.noLimit : number(limit)}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
};
