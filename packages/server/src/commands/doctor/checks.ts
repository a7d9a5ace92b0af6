import type { Environment } from "../../configuration/configuration.ts";
import { ENV } from "../../configuration/names.ts";
import type { Check } from "./check.ts";
import { aliasDomains } from "./checks/alias-domains.ts";
import { bounces } from "./checks/bounces.ts";
import { configuration } from "./checks/configuration.ts";
import { dkim } from "./checks/dkim.ts";
import { domainPolicies, senderDomain } from "./checks/domain-policies.ts";
import { issuer } from "./checks/issuer.ts";
import { keysUrl } from "./checks/keys-url.ts";
import { mxTls } from "./checks/mx-tls.ts";
import { keysPort, metricsPort, mxPort, port, webPort } from "./checks/ports.ts";
import { publicUrl } from "./checks/public-url.ts";
import { redis } from "./checks/redis.ts";
import { relay, smtp } from "./checks/sending.ts";
import { spool } from "./checks/spool.ts";
import { store } from "./checks/store.ts";
import { webUrl } from "./checks/web-url.ts";

const always = [
  configuration,
  store,
  issuer,
  smtp,
  senderDomain,
  aliasDomains,
  redis,
  publicUrl,
  keysUrl,
  webUrl,
  port,
  keysPort,
  webPort,
  metricsPort,
  mxPort,
];

const ifMailIsReceived = [mxTls, spool, relay, bounces, dkim, domainPolicies];

/** The checks that matter to this server, in the order of the report. If no mail is received, `mx-port` says why. */
export const checksFor = ({ [ENV.mxPort]: port = "" }: Environment): readonly Check[] =>
  port === "" ? always : [...always, ...ifMailIsReceived];
