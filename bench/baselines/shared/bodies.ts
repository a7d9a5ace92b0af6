import * as z from "zod";

/** The body of PUT /aliases/{id}/recipients, as the user-written baselines check it. */
export const ReplaceBody = z.object({
  recipient_ids: z.array(z.string().min(1).max(128)).min(1).max(40),
});

/** The status of each failure of the store. */
export const STATUS = { not_found: 404, deleted: 409, ineligible: 422 } as const;
