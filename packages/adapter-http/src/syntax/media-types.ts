/** The media types of a JSON Merge Patch (RFC 7396): every PATCH is one, whichever of the two it is sent as. */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;
