/** What the API logs with: pino, `console`, or any other logger that takes the details and then the message. */
export type Logger = {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
};
