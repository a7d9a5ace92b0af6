import { installOnDebian } from "./install-on-debian.ts";

/** Runs before all tests: DynamoDB Local needs Java. */
export const setup = (): void =>
  installOnDebian([
    {
      debianPackage: "openjdk-17-jre-headless",
      probe: ["java", "-version"],
      need: "Java 17 or later for DynamoDB Local",
    },
  ]);
