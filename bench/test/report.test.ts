import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chart, goodness } from "../report/chart.ts";
import { DATA, DOCUMENT, withReport } from "../report/document.ts";
import { markdown } from "../report/markdown.ts";
import { QUICK, Report, THOROUGH } from "../report/report.ts";
import { atLeast, atMost, isMet, rowOf } from "../report/row.ts";
import { median, quantile, ratios } from "../report/statistics.ts";

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 });

describe("statistics", () => {
  test("the median is the middle, or the mean of the two in the middle", () => {
    expect(median([3])).toBe(3);
    expect(median([30, 10, 20])).toBe(20);
    expect(median([40, 10, 20, 30])).toBe(25);
    expect(median([])).toBeNaN();
  });

  test("at most half of the values are above the median, and at most half below", () => {
    fc.assert(
      fc.property(values, (all) => {
        const middle = median(all);
        const below = all.filter((value) => value < middle).length;
        const above = all.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(all.length / 2);
      }),
    );
  });

  test("quantiles rise from the least value to the greatest", () => {
    expect([0, 0.25, 0.5, 0.75, 1].map((share) => quantile([5, 1, 2, 4, 3], share))).toEqual([1, 2, 3, 4, 5]);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
    fc.assert(
      fc.property(values, (all) => {
        // A sum is never -0.
        expect(quantile(all, 0)).toBe(0 + Math.min(...all));
        expect(quantile(all, 1)).toBe(0 + Math.max(...all));
      }),
    );
  });

  test("a ratio compares the values of one round", () => {
    expect(ratios([10, 30], [20, 10])).toEqual([0.5, 3]);
  });
});

describe("a row", () => {
  test("has the median of the rounds and their quartiles", () => {
    const row = rowOf({ path: "a path", what: "time", goal: atMost(3, "µs") }, [5, 1, 2, 4, 3]);
    expect(row).toMatchObject({ result: 3, spread: [2, 4] });
  });

  test.for([
    [atLeast(0.7), 0.7, true, 1],
    [atLeast(0.7), 0.35, false, 0.5],
    [atMost(3, "µs"), 3, true, 1],
    [atMost(3, "µs"), 6, false, 0.5],
    [atMost(3, "µs"), 1.5, true, 2],
  ] as const)("%o and a result of %f: met %s, %f times as good", ([goal, result, met, times]) => {
    expect(isMet({ goal, result })).toBe(met);
    expect(goodness({ goal, result })).toBeCloseTo(times);
  });
});

const report: Report = {
  date: "2026-12-31",
  effort: THOROUGH,
  facts: ["a fast machine", "on a disk"],
  paths: [
    {
      name: "put",
      about: "PUT with 3 recipients",
      measured: {
        rows: [
          rowOf({ path: "PUT", what: "requests/s, a ÷ b", goal: atLeast(0.7) }, [0.5, 0.75, 0.8]),
          rowOf({ path: "PUT <all>", what: "time", goal: atMost(3, "µs") }, [12_345.6]),
        ],
        rounds: [
          {
            name: "a",
            rate: [10_000, 12_000, 11_000],
            cpu: [20.55, 30, 10],
            p50: [1, 2, 3],
            p99: [4, 5, 6],
            loadCpu: [0.5, 0.75, 0.6],
            peakRss: [1e8, 2e8, 3e8],
          },
        ],
        note: "A note.",
      },
      failure: null,
    },
    { name: "list", about: "GET /aliases", measured: null, failure: "the server ended: 1" },
  ],
};

describe("the report", () => {
  test("has goal and result side by side, what was measured, and what could not be", () => {
    expect(markdown(report)).toBe(`Measured on 2026-12-31: 7 rounds of 2 s for each contender.

a fast machine; on a disk.

Of 2 goals, 1 are met. The results of the others are bold.

| path      | goal                    | result        |
| --------- | ----------------------- | ------------- |
| PUT       | requests/s, a ÷ b ≥ 0.7 | 0.75          |
| PUT <all> | time ≤ 3 µs             | **12,346 µs** |

| path | server | requests/s | CPU     | p50  | p99  | memory |
| ---- | ------ | ---------- | ------- | ---- | ---- | ------ |
| PUT  | a      | 11,000     | 20.6 µs | 2 ms | 5 ms | 300 MB |

- PUT with 3 recipients. A note.
- GET /aliases. **Not measured**: the server ended: 1.`);
  });

  test.for([QUICK, { ...THOROUGH, rounds: 6 }, { ...THOROUGH, seconds: 1 }])(
    "warns against relying on figures of %o",
    (effort) => {
      expect(markdown({ ...report, effort })).toMatch(/^\*\*A quick run on 2026-12-31, .*Do not rely/);
    },
  );

  test("has a bar for each row, which reaches the line if the goal is met", () => {
    const svg = chart(report);
    const line = Number(/<line class="goal" x1="(\d+)"/.exec(svg)?.[1]);
    const ends = [...svg.matchAll(/<rect class="(\w+)" x="(\d+)" .*?width="([\d.]+)"/g)].map(
      ([, kind, x, width]) => ({ kind, reaches: Number(x) + Number(width) >= line }),
    );
    expect(ends).toEqual([
      { kind: "met", reaches: true },
      { kind: "missed", reaches: false },
    ]);
    expect(svg).toContain("PUT &lt;all&gt;");
  });

  test("is put between the markers of the document, and leaves the rest unchanged", () => {
    const document =
      "# A\n<!-- bench: written by `pnpm bench` -->\nearlier $&\n<!-- bench: end -->\nby hand\n";
    const written = withReport(document, report);
    expect(written).toMatch(/^# A\n<!-- bench: written by `pnpm bench` -->\n\nMeasured on/);
    expect(written).toMatch(/<!-- bench: end -->\nby hand\n$/);
    expect(written).not.toContain("earlier");
    expect(withReport(written, report)).toBe(written);
    expect(() => withReport("# A", report)).toThrow("no markers");
  });

  test("in docs/benchmarks.md matches docs/benchmarks.json: nobody has changed a figure by hand", () => {
    const data = Report.parse(JSON.parse(readFileSync(DATA, "utf8")));
    const document = readFileSync(DOCUMENT, "utf8");
    expect(withReport(document, data)).toBe(document);
  });
});
