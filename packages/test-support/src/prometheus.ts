import { spawnSync } from "node:child_process";
import { installOnDebian } from "./install-on-debian.ts";

const hasPrometheus = (): boolean =>
  ["prometheus", "promtool"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** Runs before all tests: the rules and the dashboard in `deploy` are loaded in the Prometheus of the distribution. */
export const setup = (): void => installOnDebian("prometheus", hasPrometheus, "prometheus and promtool");
