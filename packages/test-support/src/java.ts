import { spawnSync } from "node:child_process";
import { installOnDebian } from "./install-on-debian.ts";

const hasJava = (): boolean => spawnSync("java", ["-version"]).status === 0;

/** Runs before all tests: DynamoDB Local needs Java 17 or later. */
export const setup = (): void =>
  installOnDebian("openjdk-17-jre-headless", hasJava, "Java 17 or later for DynamoDB Local");
