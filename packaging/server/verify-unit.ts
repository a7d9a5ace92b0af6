import { expect } from "vitest";
import type { Machine } from "./machine.ts";

/** What systemd before version 254 says about the settings that it does not know. */
const UNKNOWN =
  /^.*: Unknown key '(?:RestartSteps|RestartMaxDelaySec)' in section \[Service\], ignoring\.\n/gm;

/** Checks that a unit passes systemd's own checks. */
export const verifyUnit = async (machine: Machine, unit: string): Promise<void> => {
  const { status, errors } = await machine.sh(`systemd-analyze verify ${unit}`);
  expect([status, errors.replaceAll(UNKNOWN, "")]).toEqual([0, ""]);
};
