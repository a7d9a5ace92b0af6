import type { Schemas } from "@postern/client";
import { number } from "../format.ts";
import { Ago } from "../ui/time.tsx";
import { words } from "../words/words.ts";

const COUNTERS = ["sent", "delivered", "bounced", "complaint", "replied", "blocked"] as const;

/** What became of the mail of an alias, and what each number means. */
export const Counters = ({ alias }: { readonly alias: Schemas["Alias"] }) => (
  <details class="card counters">
    <summary>{words.alias.countersOf(alias.emails_sent, alias.emails_blocked, alias.emails_replied)}</summary>
    <dl>
      {COUNTERS.map((name) => {
        const [term, meaning] = words.alias.counters[name];
        const last = alias[`datetime_last_${name}`];
        return (
          <div key={name}>
            <dt>{term}</dt>
            <dd>
              <strong>{number(alias[`emails_${name}`])}</strong>
              {last !== null && (
                <small>
                  {" "}
                  {words.alias.lastTime} <Ago time={last} />
                </small>
              )}
              <small class="meaning">{meaning}</small>
            </dd>
          </div>
        );
      })}
    </dl>
  </details>
);
