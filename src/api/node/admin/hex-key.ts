import { MethodError } from '../gorilla/local-service.ts'

/** @throws MethodError with the text of Go's decoder when a key is not hex; the empty key is valid. */
export function checkHex(key: string): void {
  if (key === '') return
  if (!key.startsWith('0x')) throw new MethodError('missing 0x prefix to hex encoding')
  const wrong = Buffer.from(/[^0-9a-fA-F]/.exec(key.slice(2))?.[0] ?? '').at(0)
  if (wrong !== undefined) {
    // Go's `%#U`: between quotes, without escapes.
    const printed = wrong < 0x20 || wrong === 0x7f ? '' : ` '${String.fromCharCode(wrong)}'`
    const code = wrong.toString(16).toUpperCase().padStart(4, '0')
    throw new MethodError(`encoding/hex: invalid byte: U+${code}${printed}`)
  }
  if (key.length % 2 === 1) throw new MethodError('encoding/hex: odd length hex string')
}
