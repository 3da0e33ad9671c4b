import { blockFile, type ChainTips } from '../recorded/chain-tips.ts'
import type { RecordedLines, Recordings } from '../recorded/recordings.ts'
import type { BlockNumber, BlockReference } from './evm-arguments.ts'
import { EvmError } from './evm-rpc.ts'

export interface EvmTransaction {
  hash: string
  from: string
  to: string | null
  nonce: string
  type: string
  gas: string
  gasPrice: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  value: string
  input: string
  chainId?: string
  accessList?: { address: string; storageKeys: string[] }[]
  v: string
  r: string
  s: string
}

export interface EvmLog {
  address: string
  topics: string[]
}

export interface EvmReceipt {
  from: string
  gasUsed: string
  effectiveGasPrice: string
  logs: EvmLog[]
}

export interface EvmBlock {
  hash: string
  number: string
  miner: string
  timestamp: string
  gasUsed: string
  gasLimit: string
  baseFeePerGas?: string
  blockExtraData?: string
  transactions: EvmTransaction[]
}

export interface RecordedEvmBlock {
  block: EvmBlock
  receipts: EvmReceipt[]
}

/** Blocks of the C-chain or of the L1, as far as the tip has come. */
export interface EvmChain {
  tip(): number
  at(height: number): RecordedEvmBlock
  heightOf(hash: string): number | undefined
  /** Where a transaction was accepted; undefined when it is not yet. */
  transaction(hash: string): { height: number; index: number } | undefined
  /** The height a number or tag stands for; throws the node's text beyond the tip. */
  height(number: BlockNumber): number
  /** As `height`, also by hash; undefined for an unknown hash. */
  resolve(reference: BlockReference): number | undefined
}

const KEPT_BLOCKS = 256

interface Places {
  blocks: Map<string, number>
  transactions: Map<string, { height: number; index: number }>
}

function indexHashes(lines: RecordedLines): Places {
  const places: Places = { blocks: new Map(), transactions: new Map() }
  for (let height = 0; height < lines.length; height++) {
    const { block } = JSON.parse(lines.text(height)) as RecordedEvmBlock
    places.blocks.set(block.hash, height)
    for (const [index, { hash }] of block.transactions.entries()) places.transactions.set(hash, { height, index })
  }
  return places
}

function createBlockReader(lines: () => RecordedLines): (height: number) => RecordedEvmBlock {
  const kept = new Map<number, RecordedEvmBlock>()
  return (height) => {
    const known = kept.get(height)
    if (known !== undefined) return known
    const block = JSON.parse(lines().text(height)) as RecordedEvmBlock
    if (kept.size >= KEPT_BLOCKS) kept.delete(kept.keys().next().value ?? 0)
    kept.set(height, block)
    return block
  }
}

export function createEvmChain(recordings: Recordings, tips: ChainTips, name: 'C' | 'L1'): EvmChain {
  const lines = (): RecordedLines => recordings.lines(blockFile(name))
  let places: Places | undefined
  const index = (): Places => {
    places ??= indexHashes(lines())
    return places
  }
  const tip = (): number => tips.height(name)
  const height = (number: BlockNumber): number => {
    if (number === 'latest' || number === 'pending') return tip()
    if (number > BigInt(tip())) throw new EvmError(-32000, 'cannot query unfinalized data')
    return Number(number)
  }
  const heightOf = (hash: string): number | undefined => {
    const found = index().blocks.get(hash)
    return found === undefined || found > tip() ? undefined : found
  }
  return {
    tip,
    at: createBlockReader(lines),
    heightOf,
    height,
    transaction(hash) {
      const found = index().transactions.get(hash)
      return found === undefined || found.height > tip() ? undefined : found
    },
    resolve(reference) {
      if (reference === undefined) throw new EvmError(-32000, 'invalid arguments; neither block nor hash specified')
      return 'hash' in reference ? heightOf(reference.hash) : height(reference.number)
    },
  }
}
