import { keccak256 } from '../../../lib/bytes/keccak256.ts'
import type { RpcLog } from '../rpc-block.ts'

const BYTES = 256

/** The filter of logs, 0x hex: three bits for each address and topic. */
export function logsBloom(logs: readonly RpcLog[]): string {
  const bloom = Buffer.alloc(BYTES)
  for (const { address, topics } of logs) for (const text of [address, ...topics]) add(bloom, text)
  return `0x${bloom.toString('hex')}`
}

/** The union of several filters. */
export function joinBlooms(blooms: readonly string[]): string {
  const joined = Buffer.alloc(BYTES)
  for (const bloom of blooms) {
    const bytes = Buffer.from(bloom.slice(2), 'hex')
    for (let at = 0; at < BYTES; at++) joined[at] = (joined[at] ?? 0) | (bytes[at] ?? 0)
  }
  return `0x${joined.toString('hex')}`
}

/** Whether bits of `wanted` are missing in `bloom`; both 0x hex. */
export function lacksBits(bloom: string, wanted: string): boolean {
  const [there, needed] = [Buffer.from(bloom.slice(2), 'hex'), Buffer.from(wanted.slice(2), 'hex')]
  return needed.some((byte, at) => (byte & ~(there[at] ?? 0)) !== 0)
}

/** Whether a filter says that there are logs. For blocks without logs nodes may leave it out or empty. */
export const saysLogs = (bloom: string | undefined): boolean => bloom !== undefined && /[1-9a-f]/i.test(bloom.slice(2))

function add(bloom: Buffer, text: string): void {
  const hash = keccak256(Buffer.from(text.slice(2), 'hex'))
  for (const pair of [0, 2, 4]) {
    const bit = hash.readUInt16BE(pair) % (8 * BYTES)
    const at = BYTES - 1 - (bit >> 3)
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
  }
}
