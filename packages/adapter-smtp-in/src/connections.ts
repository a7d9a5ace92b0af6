/** How many connections there can be. */
export type ConnectionLimits = {
  readonly connections: number;
  /** From one network. */
  readonly connectionsPerAddress: number;
  /** The same, once three quarters of all connections are in use. */
  readonly busyConnectionsPerAddress: number;
};

const BUSY = 3 / 4;

/**
 * The connections in use. Once there is no room for another, a new one replaces an idle one, so that nobody can keep others out by holding
 * connections, whatever is sent over them: commands that do nothing, or a message octet by octet.
 */
export const connectionsInUse = <C extends { readonly network: string }>({
  connections,
  connectionsPerAddress,
  busyConnectionsPerAddress,
}: ConnectionLimits) => {
  /** In the order in which they began, or last sent a message. */
  const inUse = new Set<C>();
  const counts = new Map<string, number>();
  const countOf = (network: string): number => counts.get(network) ?? 0;
  const isBusy = (): boolean => inUse.size >= BUSY * connections;

  return {
    isBusy,
    isFull: (): boolean => inUse.size >= connections,
    /** Whether this network can have another one. */
    isAllowed: (network: string): boolean =>
      countOf(network) < connectionsPerAddress &&
      !(isBusy() && countOf(network) >= busyConnectionsPerAddress),
    enter: (connection: C): void => {
      inUse.add(connection);
      counts.set(connection.network, countOf(connection.network) + 1);
    },
    /** The connection has sent a message. */
    renew: (connection: C): void => {
      if (inUse.delete(connection)) inUse.add(connection);
    },
    /** Idempotent. */
    leave: (connection: C): void => {
      if (!inUse.delete(connection)) return;
      const count = countOf(connection.network) - 1;
      if (count === 0) counts.delete(connection.network);
      else counts.set(connection.network, count);
    },
    /**
     * The one to close for a new one, of those that can be closed: the one that has gone longest without sending a message. Those of
     * networks with more than they could get now come first.
     */
    longestIdle: (canGiveWay: (connection: C) => boolean): C | undefined => {
      const candidates = [...inUse].filter(canGiveWay);
      return candidates.find(({ network }) => countOf(network) > busyConnectionsPerAddress) ?? candidates[0];
    },
  };
};
