import type { SMTPConnectionCustomAuthHandler } from "nodemailer/lib/smtp-connection";

/** The code of the error if the server offers no login with a password. */
export const NOT_OFFERED = "ENOLOGIN";

/**
 * Logs in only if the server offers it. nodemailer itself would send the password even to a server that offers no login, and in the clear
 * if the server cannot encrypt, which is a common reason for offering none.
 */
export const plainLogin: SMTPConnectionCustomAuthHandler = (login) => {
  if (!login.authMethods.includes("PLAIN")) {
    login.reject(Object.assign(new Error("not offered"), { code: NOT_OFFERED }));
    return;
  }
  const { user, pass } = login.auth.credentials;
  const initial = Buffer.from(`\0${user}\0${pass}`).toString("base64");
  // Not with a promise: after 421, nodemailer closes the connection at once, and its reason would come too late.
  login.sendCommand(`AUTH PLAIN ${initial}`, (_, { response }) => {
    if (response.startsWith("2")) login.resolve();
    else login.reject("refused");
  });
};
