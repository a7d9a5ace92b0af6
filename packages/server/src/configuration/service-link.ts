const NAMES = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

const ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/**
 * Whether Kubernetes or Docker set the variable for a service. For a service named `postern`, these variables begin with
 * `POSTERN_`, in every container beside it: `POSTERN_SERVICE_HOST`, `POSTERN_PORT=tcp://10.0.0.1:80`,
 * `POSTERN_PORT_80_TCP_ADDR`.
 */
export const isServiceLink = (name: string, value: string): boolean =>
  NAMES.test(name) || (name.endsWith("_PORT") && ADDRESS.test(value));
