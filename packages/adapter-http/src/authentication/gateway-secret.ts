/**
 * Whether `gatewayAuthorizer` accepts a secret: at least 32 printable ASCII characters, without spaces at either end.
 *
 * @example
 * ```ts
 * isGatewaySecret(randomBytes(32).toString("base64url")); // true
 * ```
 */
export const isGatewaySecret = (secret: string): boolean => /^[!-~][ -~]{30,}[!-~]$/.test(secret);
