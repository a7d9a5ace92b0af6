import { HeaderFields } from "../header/header-fields.ts";
import { writeField } from "../header/write-field.ts";

/**
 * The header with the id of the message itself in `References`, after those that it answers, for a relay that gives it another
 * `Message-ID`. Whoever answers repeats `References` (RFC 5322, section 3.6.4), so the answer names the id that the alias can exchange
 * (`exchangedId`), and the thread goes on although nobody has stored which id the relay has chosen.
 */
export const namingItself = (header: string): string => {
  const fields = HeaderFields.split(header);
  const [id = ""] = HeaderFields.values(fields, "message-id");
  const [answered = ""] = ["references", "in-reply-to"].flatMap((name) => HeaderFields.values(fields, name));
  const others = fields.filter(({ name }) => name !== "references");
  const named = [answered, id].filter((ids) => ids !== "").join(" ");
  return HeaderFields.join([...others, writeField("References", named)]);
};
