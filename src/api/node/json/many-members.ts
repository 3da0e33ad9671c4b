const COLON = 0x3a
/** The largest meaningful call overrides some 36,000 storage slots. */
export const MOST_MEMBERS = 65_536

/**
 * Whether a body may have too many members: each name is compared with the meaningful ones, in any letter case and with
 * any escapes, which takes seconds for millions of them. Colons inside strings count, too.
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
