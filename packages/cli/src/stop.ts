/** What the program ends with, which scripts rely on; 0 is success. */
export const EXIT = {
  /** The server refused, or something is wrong on this machine. The message begins with the code of the problem. */
  refused: 1,
  /** The command line is wrong, or an answer is needed that nobody can be asked for. */
  usage: 2,
  /** Nobody is signed in, or the server does not accept the sign-in. */
  signIn: 3,
  /** The server or the identity provider did not respond, or not as itself. */
  unreachable: 4,
  /** Ctrl-C in a prompt, as shells report it: 128 and the number of the signal. */
  interrupted: 130,
} as const;

/**
 * Ends the program with this message. It is thrown, because no caller has anything left to do, and only `main.ts` catches it.
 *
 * @example throw new Stop("refused", "alias_not_found: there is no alias shop@postern.example")
 */
export class Stop extends Error {
  readonly exit: keyof typeof EXIT;

  constructor(exit: keyof typeof EXIT, message: string) {
    super(message);
    this.exit = exit;
  }
}
