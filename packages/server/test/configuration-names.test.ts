import { describe, expect, test } from "vitest";
import { problems } from "./support/configuration.ts";

describe("names", () => {
  test.each([
    ["POSTERN_ALIAS_DOMAIN", "POSTERN_ALIAS_DOMAINS"],
    ["POSTERN_LINK_SECRETS", "POSTERN_LINK_SECRET"],
    ["POSTERN_LINK_SECRETFILE", "POSTERN_LINK_SECRET_FILE"],
    ["POSTERN_SOTRE", "POSTERN_STORE"],
    ["POSTERN_SQLITE_FILE", "POSTERN_SQLITE_PATH"],
    ["POSTERN_PORT", "PORT"],
    ["POSTERN_AWS_REGION", "AWS_REGION"],
    ["POSTERN_store", undefined],
    ["POSTERN_", undefined],
    ["POSTERN_NIGHT", undefined],
    ["POSTERN_PORT_FILE", undefined],
  ])("%s is not a variable; %s is", (variable, meant) => {
    const suggestion = meant === undefined ? "--help lists all" : `did you mean ${meant}?`;
    expect(problems({ [variable]: "a-value" })).toEqual([
      { variable, problem: `is not a variable; ${suggestion}` },
    ]);
  });

  test("that Kubernetes sets for a service named postern are ignored, but misspelled ones that look similar are not", () => {
    const links = {
      POSTERN_SERVICE_HOST: "10.0.0.1",
      POSTERN_SERVICE_PORT: "80",
      POSTERN_SERVICE_PORT_HTTP: "80",
      POSTERN_PORT: "tcp://10.0.0.1:80",
      POSTERN_PORT_80_TCP: "tcp://10.0.0.1:80",
      POSTERN_PORT_80_TCP_PROTO: "tcp",
      POSTERN_PORT_80_TCP_PORT: "80",
      POSTERN_PORT_80_TCP_ADDR: "10.0.0.1",
      POSTERN_API_SERVICE_HOST: "10.0.0.2",
    };
    expect(problems(links)).toEqual([]);
    expect(problems({ POSTERN_METRIC_PORT: "9464" })).toEqual([
      { variable: "POSTERN_METRIC_PORT", problem: "is not a variable; did you mean POSTERN_METRICS_PORT?" },
    ]);
  });

  test("of other programs are ignored, and so are empty variables", () => {
    expect(problems({ PSOTERN_STORE: "sqlite", HOSTS: "x", POSTERN_SOTRE: "" })).toEqual([]);
  });
});
