const BASE_PATH = /^(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * Checks the path that the API is mounted under.
 *
 * @throws TypeError unless it is empty or a path such as `/mail`
 */
export const parseBasePath = (path: string): string => {
  if (BASE_PATH.test(path)) return path;
  throw new TypeError(
    `The API cannot be mounted at ${JSON.stringify(path)}: the path must be empty or look like "/mail" or "/api/mail", ` +
      "with a leading slash, no trailing slash and no parameters",
  );
};
