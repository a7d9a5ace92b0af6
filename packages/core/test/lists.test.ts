import { failureOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

const { failing, service, store } = useService();

describe.each(["listAliases", "listRecipients"] as const)("%s", (list) => {
  test.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: 101 }],
    ["limit", { limit: 1.5 }],
    ["after", { after: "" }],
    ["account", { account: "" }],
  ])("refuses a bad %s", async (path, bad) => {
    expect(await service()[list]({ account: ACCOUNT, ...bad })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: [path] }] },
    });
  });

  test.each([
    [0, "must be at least 1"],
    [101, "must be at most 100"],
  ])("says what is wrong with a limit of %s", async (limit, reason) => {
    expect(await service()[list]({ account: ACCOUNT, limit })).toMatchObject({
      error: { issues: [{ path: ["limit"], reason }] },
    });
  });

  test("requests the first 50 items by default", async () => {
    const [aliases, recipients] = [vi.spyOn(store().aliases, "list"), vi.spyOn(store().recipients, "list")];
    const spy = list === "listAliases" ? aliases : recipients;
    await service()[list]({ account: ACCOUNT });
    await service()[list]({ account: ACCOUNT, limit: 100, after: "x" });
    expect(spy.mock.calls.map(([account, page]) => [account, page])).toEqual([
      [ACCOUNT, { limit: 50, after: null }],
      [ACCOUNT, { limit: 100, after: "x" }],
    ]);
  });

  test("reports that the store is unavailable", async () => {
    const broken = failing({ list: unavailable }, { list: unavailable });
    expect(failureOf(await broken[list]({ account: ACCOUNT }))).toEqual({ code: "unavailable" });
  });
});
