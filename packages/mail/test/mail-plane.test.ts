import type { MailPlanePorts } from "@postern/mail";
import { expect, test } from "vitest";
import { useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();

test.each<[Partial<MailPlanePorts>, string]>([
  [{ aliasDomains: [] }, "aliasDomains "],
  [{ aliasDomains: ["alias"] }, "aliasDomains.0 must be a domain name"],
  [{ serverName: "mx alias" }, "serverName must be a domain name"],
  [{ postmaster: "me" }, "postmaster must be an email address"],
  [{ postmaster: "me@Second.example" }, "postmaster must not be on an alias domain"],
  [{ copiesAtOnce: 0 }, "copiesAtOnce must be from 1 to 20"],
  [{ copiesAtOnce: 1.5 }, "copiesAtOnce must be from 1 to 20"],
  [{ copiesAtOnce: 21 }, "copiesAtOnce must be from 1 to 20"],
  [{ verificationSender: "hello" }, "verificationSender must be an email address"],
])("mailPlane throws for %j", (settings, message) => {
  expect(() => world.plane(settings)).toThrow(TypeError);
  expect(() => world.plane(settings)).toThrow(message);
});
