const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const OPEN_OBJECT = 0x7b

/** What a list, an object or a named member costs the parser and the collector, in plain values. */
const HEAVY = 20
/** The largest body that means something holds 250,000 addresses, in some hundred lists and objects. */
const MOST = 500_000

/**
 * Whether a body holds far more values than any that is taken: megabytes of empty lists take the parser seconds, in which
 * nobody else is answered. Signs inside of texts are counted, too.
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
