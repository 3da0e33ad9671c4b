import { formatBech32Address, parseBech32Address } from '../../../src/lib/bytes/bech32-address.ts'

/** The same 20 bytes under another network's HRP; a chain prefix stays. */
export function withHrp(text: string, hrp: string): string {
  const address = parseBech32Address(text)
  return formatBech32Address(address.bytes, hrp, address.chain)
}
