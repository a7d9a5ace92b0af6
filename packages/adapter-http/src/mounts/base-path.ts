const BASE_PATH = /^(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * Checks the path that the API is mounted under.
 *
 * @throws TypeError unless it is empty or a path such as `/mail`
 */
export const parseBasePath = (path: string): string => {
  if (BASE_PATH.test(path)) return path;
  throw new TypeError(
    `The path ${JSON.stringify(path)} cannot be mounted at: it must be empty or look like "/mail" or "/api/mail", with a ` +
      "slash at the beginning and none at the end, and without parameters",
  );
};
