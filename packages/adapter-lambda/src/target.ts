/** Text as a part of a URL. */
export const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** What cannot be in a path as it is: a `%` that begins no octet, and everything that RFC 3986, section 3.3, excludes. */
const NOT_IN_PATHS = /(?:%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%])+/g;

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/**
 * The path that the client sees, from the one in an event: that can contain the stage, lack what a custom domain maps to the API, and be
 * decoded, as with HTTP APIs. What is still encoded stays as it is.
 *
 * @param stage the stage that can be in the path; undefined if none can
 * @param basePath what clients see before the paths of the API
 */
export const targetPath = (path: string, stage: string | undefined, basePath: string): string => {
  const isInStage = stage !== undefined && stage !== "$default" && isBelow(path, `/${stage}`);
  const inApi = (isInStage && path.slice(stage.length + 1)) || path;
  const target = inApi.replace(NOT_IN_PATHS, encoded);
  return isBelow(target, basePath) ? target : basePath + target;
};

/** The query with these parameters, each of which may be given several times. */
export const queryOf = (
  parameters: Readonly<Record<string, readonly string[]>>,
  encode: (text: string) => string,
): string =>
  Object.entries(parameters)
    .flatMap(([name, values]) => values.map((value) => `${encode(name)}=${encode(value)}`))
    .join("&");
