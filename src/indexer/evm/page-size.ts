import type { EvmFacts } from './rpc-block.ts'

/** Target size of pages. */
export interface PageBounds {
  blocks: number
  /** Transactions with their receipts usually make up most of a page. */
  transactions: number
  /** Of call data and logs. */
  characters: number
}

/** Some megabytes, tens where blocks are full of call data or logs. */
const PAGE: PageBounds = { blocks: 256, transactions: 2_000, characters: 32 * 1_024 * 1_024 }
/** Size of a log without its data, in an answer and in memory: a block may hold 80,000 empty ones. */
const LOG_CHARACTERS = 600

/** How many blocks to request at a time: strangers decide how large a block is. */
export interface PageSize {
  /** Starts with one block, since its size is unknown, and doubles. */
  readonly blocks: number
  /** Call this with the blocks that were read. @returns true if twice as many would be too much */
  came(facts: readonly EvmFacts[]): boolean
  /** Call this when a read of so many blocks failed or timed out: busy blocks may follow quiet ones. */
  failed(blocks: number): void
}

export function createPageSize(most = PAGE): PageSize {
  let blocks = 1
  return {
    get blocks() {
      return blocks
    },
    came(facts) {
      const fitting = (room: number, taken: number): number => Math.floor((room * facts.length) / Math.max(1, taken))
      const transactions = sum(facts, ({ block }) => block.transactions.length)
      const light = Math.min(fitting(most.transactions, transactions), fitting(most.characters, charactersOf(facts)))
      // At most twice as many: busy blocks may follow quiet ones.
      const twice = 2 * facts.length
      blocks = Math.max(1, Math.min(most.blocks, twice, light))
      return light < twice
    },
    failed(asked) {
      blocks = Math.max(1, asked >> 1)
    },
  }
}

const charactersOf = (facts: readonly EvmFacts[]): number =>
  sum(
    facts,
    ({ block, receipts }) =>
      sum(block.transactions, ({ input }) => input.length) +
      sum(receipts, ({ logs }) => sum(logs, ({ data }) => data.length + LOG_CHARACTERS)),
  )

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)
