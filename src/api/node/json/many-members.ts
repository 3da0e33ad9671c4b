const COLON = 0x3a
/** The largest call that means something overrides some 36,000 slots of storage. */
export const MOST_MEMBERS = 65_536

/**
 * Whether a body may hold more members than are read: each is compared by its name with those that mean something, in any
 * letter case and with any escapes, and millions of them take seconds. Colons inside of texts are counted, too.
 */
export function hasManyMembers(body: Buffer): boolean {
  if (body.length <= MOST_MEMBERS) return false
  let at = -1
  for (let count = 0; count <= MOST_MEMBERS; count += 1) {
    at = body.indexOf(COLON, at + 1)
    if (at < 0) return false
  }
  return true
}
