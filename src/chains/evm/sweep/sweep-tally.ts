import { asError, BadAnswerError } from '../../../errors.ts'
import { BlockLostError } from '../read/call-failure.ts'
import type { BalanceAnswer, BlockMark, TokenTraits } from '../read/reader-types.ts'
import type { Rectangle } from './sweep-plan.ts'

export interface SweepResult {
  block: BlockMark
  /** owner → token → non-zero balance */
  amounts: Map<string, Map<string, bigint>>
  /** Pairs whose token has no readable balance for the owner, including those of `unasked`. */
  failed: Pair[]
  /** Owners with an unread part: their balances are unknown. */
  errors: Map<string, Error>
  /** Traits of held tokens: see BalanceAnswer. */
  traits: Map<string, TokenTraits>
}

export interface Pair {
  owner: string
  token: string
}

/** Result of a single pass. */
export interface PassResult extends SweepResult {
  /** Pairs after one whose token burnt its gas: nothing is known of them. */
  unasked: Pair[]
}

/** Joins two results of one block; where both tell of a token of an owner, the second counts. */
export const joined = (first: SweepResult, second: SweepResult): SweepResult => ({
  block: first.block,
  amounts: joinedAmounts(first.amounts, second.amounts),
  failed: [...first.failed, ...second.failed],
  errors: new Map([...first.errors, ...second.errors]),
  traits: new Map([...first.traits, ...second.traits]),
})

export function joinedAmounts(first: SweepResult['amounts'], second: SweepResult['amounts']): SweepResult['amounts'] {
  const all = new Map(first)
  for (const [owner, held] of second) all.set(owner, new Map([...(all.get(owner) ?? []), ...held]))
  return all
}

/** Collects the answers of one pass. All of them must come from one block: the first answer's, unless one is given. */
export interface SweepTally {
  block(): BlockMark | undefined
  add(job: Rectangle, answer: BalanceAnswer): void
  fail(pairs: Rectangle): void
  lose(owners: readonly string[], error: unknown): void
  isLost(owner: string): boolean
  /** Throws the first error when nothing was read at all. */
  result(): PassResult
}

export function createSweepTally(given: BlockMark | undefined): SweepTally {
  let block = given
  const amounts: SweepResult['amounts'] = new Map()
  const failed: Pair[] = []
  const unasked: Pair[] = []
  const errors: SweepResult['errors'] = new Map()
  const traits: SweepResult['traits'] = new Map()

  return {
    block: () => block,
    add: ({ owners, tokens }, answer) => {
      block ??= answer.block
      if (answer.block.number !== block.number || answer.block.fingerprint !== block.fingerprint) {
        throw new BlockLostError(`upstreams disagree about block ${block.number}`)
      }
      for (const { owner, token, value } of answer.amounts) {
        const address = owners[owner] ?? ''
        const held = amounts.get(address) ?? new Map<string, bigint>()
        amounts.set(address, held.set(tokens[token] ?? '', value))
      }
      for (const { token, told } of answer.traits) traits.set(tokens[token] ?? '', told)
      const named = (pair: { owner: number; token: number }): Pair => ({
        owner: owners[pair.owner] ?? '',
        token: tokens[pair.token] ?? '',
      })
      for (const pair of [...answer.failed, ...answer.unasked]) failed.push(named(pair))
      for (const pair of answer.unasked) unasked.push(named(pair))
    },
    fail: ({ owners, tokens }) => {
      for (const owner of owners) for (const token of tokens) failed.push({ owner, token })
    },
    lose: (owners, error) => {
      const reason = asError(error)
      for (const owner of owners) errors.set(owner, reason)
    },
    isLost: (owner) => errors.has(owner),
    result: () => {
      if (block) return { block, amounts, failed, unasked, errors, traits }
      throw errors.values().next().value ?? new BadAnswerError('nothing was read')
    },
  }
}
