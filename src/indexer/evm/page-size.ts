import type { EvmFacts } from './rpc-block.ts'

/** What pages shrink and grow towards. */
export interface PageBounds {
  blocks: number
  /** With their receipts these are what is large mostly. */
  transactions: number
  /** Of call data and logs. */
  characters: number
}

/** Some megabytes, tens where blocks are full of call data or logs. */
const PAGE: PageBounds = { blocks: 256, transactions: 2_000, characters: 32 * 1_024 * 1_024 }
/** What a log takes besides its data, in an answer and in memory: a block may hold 80,000 that are empty. */
const LOG_CHARACTERS = 600

/** How many blocks to ask for at a time: strangers decide how much is in one. */
export interface PageSize {
  /** Begins with a single one, as nothing is known of it, and doubles. */
  readonly blocks: number
  /** These came. @returns true where there would be too much in twice as many */
  came(facts: readonly EvmFacts[]): boolean
  /** So many did not come whole in their time: behind quiet blocks there may be busy ones. */
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
      // At most twice as many: blocks that follow quiet ones may be busy.
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
