/**
 * Bytes of what a server answers to a call: 0x and an even number of hex digits. Undefined for anything else, which no
 * contract said.
 */
export function callBytes(answer: unknown): Buffer | undefined {
  if (typeof answer !== 'string' || !answer.startsWith('0x')) return undefined
  // A regular expression over pairs of digits throws for millions of them; decoding ends before the first invalid pair.
  const bytes = Buffer.from(answer.slice(2), 'hex')
  return 2 * bytes.length === answer.length - 2 ? bytes : undefined
}
