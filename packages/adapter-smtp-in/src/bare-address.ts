/**
 * A command whose address has no brackets. What comes after the address has the form of parameters (RFC 5321, section 4.1.2). Octets are
 * characters here.
 */
const BARE =
  /^((?:MAIL FROM|RCPT TO)[ \t]*:[ \t]*)([!-;=?-~\x80-\xff]+)((?:[ \t]+[A-Z0-9][A-Z0-9-]*(?:=[!-;=?-~]*)?)*[ \t]*)$/i;

/**
 * The command line, with brackets around an address without them: some devices and programs leave them out, and Postfix and Exim accept
 * that. Any other line stays as it is, also one with a bracket anywhere, in which another server could find another address.
 */
export const withBrackets = (command: Buffer): Buffer => {
  const line = command.toString("latin1");
  const bracketed = line.replace(BARE, "$1<$2>$3");
  return bracketed === line ? command : Buffer.from(bracketed, "latin1");
};
