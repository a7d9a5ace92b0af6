import { type Ids, parseAliasId, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { v7 } from "uuid";

/**
 * Ids as UUIDs of version 7 (RFC 9562, section 5.7): the time in milliseconds, a 32-bit counter, 42 random bits.
 *
 * - **Order within a process** (one thread that loaded one copy of the `uuid` package): every id is greater than all
 *   earlier ones by `compareIds`, whether for aliases or recipients. Ids of the same millisecond are ordered by the
 *   counter. When the wall clock is set back, new ids keep the latest time already used and only the counter grows,
 *   until the clock has caught up. When the counter overflows, the time moves ahead by a millisecond.
 * - **Order between processes**, threads and machines, and across a restart, follows their clocks. Ids from a clock
 *   that is behind sort before ids that already exist.
 * - **Uniqueness** between processes is a matter of probability: two ids are equal only if their millisecond, their
 *   counter (which starts at a random 31-bit number in each new millisecond) and their 42 random bits are all equal.
 *   The random bits come from the operating system's cryptographic generator.
 *
 * An id reveals when it was made. It is not a secret and must not be used as one.
 *
 * @example
 * ```ts
 * uuids.alias(); // "019abcde-3f00-7a61-9c04-5d1f0e6b7a92"
 * ```
 */
export const uuids: Ids = {
  // Neither parse can fail: a UUID is 36 printable ASCII characters.
  alias: () => valueOf(parseAliasId(v7())),
  recipient: () => valueOf(parseRecipientId(v7())),
};
