import { Counter, Gauge, Histogram, type LabelValues, type Registry } from "prom-client";

/** Declares what a registry exports. */
export const seriesIn = (registry: Registry) => {
  const registers = [registry];
  return {
    /**
     * A counter whose series with these labels exist from the start, at 0; without labels, its only series does. Every series
     * that an alert may read must: Prometheus sees no increase in a series that appears with the value 1, so the first failure
     * would go unnoticed.
     */
    counter: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[] = [],
      initial: readonly LabelValues<Label>[] = [],
    ): Counter<Label> => {
      const counter = new Counter({ name, help, labelNames, registers });
      for (const labels of initial) counter.inc(labels, 0);
      return counter;
    },

    gauge: (name: string, help: string): Gauge => new Gauge({ name, help, registers }),

    /** Measures durations: passed in milliseconds, exported in seconds. */
    duration: <Label extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly Label[] = [],
    ) => {
      const histogram = new Histogram({ name, help, labelNames, buckets, registers });
      return (milliseconds: number, labels: LabelValues<Label> = {}): void =>
        histogram.observe(labels, milliseconds / 1000);
    },
  };
};
