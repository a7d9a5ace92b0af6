/** The media types of a PATCH. Its body is a JSON Merge Patch (RFC 7396) under either of them. */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;
