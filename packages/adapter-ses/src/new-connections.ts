/**
 * How a client of AWS sends requests of which each has a connection of its own. One that was kept could have been closed in the meantime, or
 * forgotten while the process was frozen, which shows only when it is used again.
 */
export const NEW_CONNECTIONS = {
  connectionTimeout: 2_000,
  httpAgent: { keepAlive: false },
  httpsAgent: { keepAlive: false },
};
