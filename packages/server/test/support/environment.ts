/** Every required variable. The services that they name do not exist. */
export const environment = {
  PORT: "0",
  POSTERN_STORE: "memory",
  POSTERN_ISSUER: "https://id.postern.test/pool",
  POSTERN_AUDIENCE: "client",
  POSTERN_ALIAS_DOMAINS: "alias.example.com",
  POSTERN_PUBLIC_URL: "https://postern.test",
  POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
  POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
  POSTERN_MAIL_FROM: "postern@postern.test",
};

/** For tests in which one account creates more than the default limits allow. */
export const unlimited = {
  POSTERN_CREATION_LIMIT: "0",
  POSTERN_MAX_ALIASES: "0",
  POSTERN_MAX_RECIPIENTS: "0",
  POSTERN_MAX_UNVERIFIED_RECIPIENTS: "0",
  POSTERN_MAX_CONTACTS: "0",
  POSTERN_MAX_BLOCKED_SENDERS: "0",
  POSTERN_MAX_VERIFICATION_MESSAGES: "0",
};
