/** Every required variable. The services that they name do not exist. */
export const environment = {
  PORT: "0",
  POSTERN_STORE: "memory",
  POSTERN_ISSUER: "https://id.example.com/pool",
  POSTERN_AUDIENCE: "client",
  POSTERN_ALIAS_DOMAINS: "alias.example.com",
  POSTERN_PUBLIC_URL: "https://postern.example.com",
  POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
  POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
  POSTERN_MAIL_FROM: "postern@example.com",
};
