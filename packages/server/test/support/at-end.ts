import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Has this done at the end of the test or, for what is started outside of tests, after the last one of the file. */
export const atEnd = (what: () => unknown): void => {
  const isInTest: boolean = TestRunner.getCurrentTest() !== undefined;
  if (isInTest) onTestFinished(async () => void (await what()));
  else afterAll(async () => void (await what()));
};
