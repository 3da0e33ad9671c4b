const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const OPEN_OBJECT = 0x7b

/** What a list, an object or a named member costs the parser and the garbage collector, in plain values. */
const HEAVY = 20
/** The largest meaningful body holds 250,000 addresses in a few hundred lists and objects. */
const MOST = 500_000

/**
 * Whether a body holds far more values than any valid one: the parser takes seconds for megabytes of empty lists and
 * blocks all other requests meanwhile. Punctuation inside strings counts, too.
 */
export function isTooHeavy(raw: Buffer): boolean {
  if (raw.length < MOST / HEAVY) return false
  let weight = 0
  for (let at = 0; at < raw.length && weight <= MOST; at += 1) {
    const byte = raw[at]
    if (byte === COMMA) weight += 1
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT || byte === COLON) weight += HEAVY
  }
  return weight > MOST
}
