/** The `ETag` of something at this version (RFC 9110, section 8.8.3), which `If-Match` takes. */
export const entityTag = (version: number): string => `"${version}"`;
