import { BadAnswerError } from '../../../errors.ts'
import { keccak256Hex } from '../../../lib/bytes/keccak256.ts'
import { quantity, type RpcBlock, type RpcReceipt } from '../rpc-block.ts'
import { orderedRoot } from './ordered-root.ts'
import { receiptBytes } from './receipt-bytes.ts'

/** A block with its receipts, which passed their own check. */
export interface SettlingBlock {
  block: RpcBlock
  receipts: readonly RpcReceipt[]
}

/**
 * C since Helicon (ACP-194): the root in a header covers the receipts, in order, of all blocks that it settles: those
 * above its parent's `settledHeight`, up to its own.
 */
export interface Settlement {
  /**
   * Call this with each block after its parent.
   * @throws WrongReceiptsError when receipts of earlier blocks are not the settled ones
   */
  follow(next: SettlingBlock): void
  /**
   * Sets the unsettled blocks before the next block, in order of height. If there are none, the receipts that the next
   * block settles cannot be checked.
   */
  resume(unsettled: readonly SettlingBlock[]): void
}

/** Receipts of some blocks were wrong. */
export class WrongReceiptsError extends BadAnswerError {
  /** Blocks whose receipts the root covers. */
  readonly blocks: readonly SettlingBlock[]
  /** Their root, hex without 0x. */
  readonly root: string

  constructor(settler: RpcBlock, blocks: readonly SettlingBlock[]) {
    const heights = [blocks.at(0), blocks.at(-1)].map((one) => (one ? heightOf(one) : 'none'))
    super(`block ${quantity(settler.number)} settles other receipts than those of ${heights.join(' to ')}`)
    this.blocks = blocks
    this.root = bareRoot(settler)
  }
}

export function createSettlement(): Settlement {
  /** The last block and the height that it settles. `from`: the first block with receipts. */
  let last: { height: bigint; settled: bigint; from: bigint } | undefined
  let waiting: SettlingBlock[] = []
  const stand = (next: SettlingBlock): void => {
    const [height, settled] = [heightOf(next), settledBy(next.block)]
    waiting = [...waiting, next].filter((one) => heightOf(one) > settled)
    last = { height, settled, from: last?.from ?? height }
  }
  const forget = (): void => {
    last = undefined
    waiting = []
  }
  return {
    follow(next) {
      if (last?.height !== heightOf(next) - 1n) forget()
      const settled = settledBy(next.block)
      const ended = waiting.filter((one) => heightOf(one) <= settled)
      const isWhole = last !== undefined && last.settled >= last.from - 1n
      if (isWhole && executesLater(next.block) && rootOf(ended) !== bareRoot(next.block))
        throw new WrongReceiptsError(next.block, ended)
      stand(next)
    },
    resume(unsettled) {
      forget()
      for (const one of unsettled) stand(one)
    },
  }
}

export const executesLater = ({ settledHeight }: RpcBlock): boolean => settledHeight != null

/** The height up to which this block settles receipts: its own if it is executed at once. */
export const settledBy = ({ number, settledHeight }: RpcBlock): bigint => quantity(settledHeight ?? number)

/** Most blocks that may be wrong together: each doubles the number of roots to compute. */
const MOST_DOUBTFUL = 8

/**
 * Given two versions of the receipts of some blocks, chooses one of each so that together they have this root.
 * Undefined if there is no such choice.
 */
export function chooseSettled(
  told: readonly SettlingBlock[],
  others: readonly SettlingBlock[],
  root: string,
): SettlingBlock[] | undefined {
  const differs = (one: SettlingBlock, at: number): boolean => receiptsDigest(one) !== receiptsDigest(others[at] ?? one)
  const doubtful = [...told.keys()].filter((at) => differs(told[at] as SettlingBlock, at)).slice(0, MOST_DOUBTFUL)
  for (let choice = 0; choice < 2 ** doubtful.length; choice++) {
    const taken = new Set(doubtful.filter((_, bit) => (choice >> bit) % 2 === 1))
    const chosen = told.map((one, at) => (taken.has(at) ? (others[at] ?? one) : one))
    if (rootOf(chosen) === root) return chosen
  }
  return undefined
}

/** Hex of the root of the receipts of these blocks, as the settling header has it. */
const rootOf = (blocks: readonly SettlingBlock[]): string => orderedRoot(blocks.flatMap(bytesOf))

/** Distinguishes versions of the receipts of one block, as far as settlement covers them; 32 hex digits. */
export const receiptsDigest = (block: SettlingBlock): string => keccak256Hex(Buffer.concat(bytesOf(block))).slice(0, 32)

const heightOf = ({ block }: SettlingBlock): bigint => quantity(block.number)

const bareRoot = ({ receiptsRoot = '' }: RpcBlock): string => receiptsRoot.slice(2).toLowerCase()

/** Used when a block arrives, when it is written and when it is settled. */
const encoded = new WeakMap<readonly RpcReceipt[], readonly Uint8Array[]>()

/** @throws BadAnswerError for malformed receipts */
function bytesOf({ block, receipts }: SettlingBlock): readonly Uint8Array[] {
  const known = encoded.get(receipts)
  if (known) return known
  const bytes = receipts.map((receipt, at) => receiptBytes(receipt, Number(block.transactions[at]?.type ?? 0)))
  encoded.set(receipts, bytes)
  return bytes
}
