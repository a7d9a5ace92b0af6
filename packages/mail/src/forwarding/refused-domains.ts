import type { Clock, Domain } from "@postern/core";
import { newPause, type Pause, REFUSALS_IN_A_ROW } from "./pause.ts";

/**
 * The alias domains that the relay does not accept as senders, such as one that is not registered with the provider. Each is counted and
 * paused separately, so that a refused domain does not hold up the mail of the others. If the relay accepts none of them, all of them
 * pause.
 */
export type RefusedDomains = {
  /** Notes that the relay has accepted a copy of the domain. */
  accept(domain: Domain): void;
  /** Notes that the relay has refused the domain. If that makes 20 or more refusals in a row, a pause of the domain begins. */
  refuse(domain: Domain): void;
  /** Whether nothing of the domain should be tried now. */
  isPaused(domain: Domain): boolean;
};

export const noRefusedDomains = (clock: Pick<Clock, "now">): RefusedDomains => {
  const refused = new Map<Domain, { readonly inARow: number; readonly pause: Pause }>();
  return {
    accept: (domain) => void refused.delete(domain),
    refuse: (domain) => {
      const { inARow, pause } = refused.get(domain) ?? { inARow: 0, pause: newPause(clock) };
      refused.set(domain, { inARow: inARow + 1, pause });
      if (inARow + 1 >= REFUSALS_IN_A_ROW) pause.begin();
    },
    isPaused: (domain) => refused.get(domain)?.pause.isOn() ?? false,
  };
};
