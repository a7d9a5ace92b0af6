/**
 * Makes npm ask a registry again if it has not responded for 30 seconds. By default, npm waits for five minutes, which is half of the
 * time that a test has.
 */
export const IMPATIENT_NPM = { npm_config_fetch_timeout: "30000", npm_config_fetch_retries: "5" };
