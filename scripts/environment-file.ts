import { ENVIRONMENT_FILE as INSTALLED_AS } from "../packages/server/src/configuration/environment-file.ts";
import { descriptions } from "../packages/server/src/configuration/variables.ts";

export const ENVIRONMENT_FILE = new URL("../deploy/release/postern.env.example", import.meta.url);

/** An example of /etc/postern/postern.env, with every variable. */
export const environmentFile = (): string => {
  const variables = descriptions.map(({ name, unset, meaning, example }) => {
    const about = `# ${meaning}\n# ${unset === "required" ? `required, for example: ${example}` : unset}`;
    return unset === "required" ? `${about}\n${name}=\n` : `${about}\n#${name}=${example}\n`;
  });
  return `# Postern's configuration, for the server and its commands. Contains secrets: install it as ${INSTALLED_AS}, owned
# by root, with mode 0600. A value that contains a quote, a backslash or a # is in single quotes.
# Required variables come without a value. To set another one, remove the # before its name.

${variables.join("\n")}`;
};
