import { BadAnswerError } from '../../../errors.ts'
import { keccak256Hex } from '../../../lib/keccak256.ts'
import { quantity, type RpcBlock, type RpcReceipt } from '../rpc-block.ts'
import { orderedRoot } from './ordered-root.ts'
import { receiptBytes } from './receipt-bytes.ts'

/** A block with its receipts, which were held against it by themselves. */
export interface SettlingBlock {
  block: RpcBlock
  receipts: readonly RpcReceipt[]
}

/**
 * C since Helicon (ACP-194): the root in a header is that of the receipts, one block's behind the other's, of all blocks
 * that it settles: those above its parent's `settledHeight`, up to its own.
 */
export interface Settlement {
  /**
   * To be called with each block behind its parent.
   * @throws WrongReceiptsError when receipts of earlier blocks are not those that it settles
   */
  follow(next: SettlingBlock): void
  /**
   * What is to be known before the block behind these: all that no block has settled, in order of height. None: of the
   * first block that comes, the receipts that it settles cannot be told.
   */
  resume(unsettled: readonly SettlingBlock[]): void
}

/** Of some blocks receipts were told that are not theirs. */
export class WrongReceiptsError extends BadAnswerError {
  /** Whose receipts these are together. */
  readonly blocks: readonly SettlingBlock[]
  /** What the root of them is, hex without 0x. */
  readonly root: string

  constructor(settler: RpcBlock, blocks: readonly SettlingBlock[]) {
    const heights = [blocks.at(0), blocks.at(-1)].map((one) => (one ? heightOf(one) : 'none'))
    super(`block ${quantity(settler.number)} settles other receipts than those of ${heights.join(' to ')}`)
    this.blocks = blocks
    this.root = bareRoot(settler)
  }
}

export function createSettlement(): Settlement {
  /** The last block, and up to where it settles. `from`: the first one whose receipts came. */
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

/** Up to which height receipts are settled when this block is there: its own where it is executed at once. */
export const settledBy = ({ number, settledHeight }: RpcBlock): bigint => quantity(settledHeight ?? number)

/** Blocks that may be wrong together: twice as many roots are made for each. */
const MOST_DOUBTFUL = 8

/**
 * Two tellings of the receipts of some blocks: of each block the one that makes this root with those of the others.
 * Undefined where there is none.
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

/** Hex of the root of the receipts of these blocks, as the header says it that settles them. */
const rootOf = (blocks: readonly SettlingBlock[]): string => orderedRoot(blocks.flatMap(bytesOf))

/** Tells apart what was told of the receipts of one block, as far as it is settled later; 32 hex digits. */
export const receiptsDigest = (block: SettlingBlock): string => keccak256Hex(Buffer.concat(bytesOf(block))).slice(0, 32)

const heightOf = ({ block }: SettlingBlock): bigint => quantity(block.number)

const bareRoot = ({ receiptsRoot = '' }: RpcBlock): string => receiptsRoot.slice(2).toLowerCase()

/** Needed when a block comes, when it is written and when it is settled. */
const encoded = new WeakMap<readonly RpcReceipt[], readonly Uint8Array[]>()

/** @throws BadAnswerError for receipts that are none */
function bytesOf({ block, receipts }: SettlingBlock): readonly Uint8Array[] {
  const known = encoded.get(receipts)
  if (known) return known
  const bytes = receipts.map((receipt, at) => receiptBytes(receipt, Number(block.transactions[at]?.type ?? 0)))
  encoded.set(receipts, bytes)
  return bytes
}
