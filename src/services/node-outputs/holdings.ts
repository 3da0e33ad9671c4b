import { LRUCache } from 'lru-cache'
import type { UtxoRecord } from '../../store/index.ts'

/** What nodes have from the time before X had blocks, of one address or several. */
export interface Holding {
  /** In no block. */
  outputs: readonly UtxoRecord[]
  /** Known to the index, which has seen no spending. */
  still: readonly UtxoRecord[]
}

/**
 * An address's outputs of that time are cached: none can be added, and the index sees spending. Only for a while,
 * because a wrong answer of a node would otherwise be trusted forever. A weight of one is some 100 bytes: there is room
 * for 20,000 outputs, or 160,000 addresses without any.
 */
const KEPT = { maxSize: 160_000, ttl: 600_000 }
const OUTPUT_WEIGHT = 8

/** Holdings by chain and address. */
export const createHoldings = (): LRUCache<string, Holding> =>
  new LRUCache({
    ...KEPT,
    sizeCalculation: ({ outputs, still }) => 1 + OUTPUT_WEIGHT * (outputs.length + still.length),
  })

/** Divides a common answer among the addresses. */
export function dividedAmong(addresses: readonly string[], { outputs, still }: Holding): Map<string, Holding> {
  const parts = new Map(addresses.map((address) => [address, { outputs: [], still: [] } as Parts]))
  const divide = (utxos: readonly UtxoRecord[], kind: keyof Parts): void => {
    for (const utxo of utxos) for (const owner of new Set(utxo.addresses)) parts.get(owner)?.[kind].push(utxo)
  }
  divide(outputs, 'outputs')
  divide(still, 'still')
  return parts
}

type Parts = Record<keyof Holding, UtxoRecord[]>

/** All of them; outputs with several owners once. */
export function together(holdings: readonly Holding[]): Holding {
  const once = (utxos: readonly UtxoRecord[]): UtxoRecord[] => [
    ...new Map(utxos.map((utxo) => [utxo.id, utxo])).values(),
  ]
  return { outputs: once(holdings.flatMap((one) => one.outputs)), still: once(holdings.flatMap((one) => one.still)) }
}
