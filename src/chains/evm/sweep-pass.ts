import { setTimeout as sleep } from 'node:timers/promises'
import { BadAnswerError, DeadlineError } from '../../errors.ts'
import { mapBounded } from '../../lib/map-bounded.ts'
import type { ReadContext } from '../capabilities.ts'
import { callFailure } from './call-failure.ts'
import type { EvmLimits } from './limits.ts'
import type { PairBudget } from './pair-budget.ts'
import type { BalanceAnswer, BlockMark, ReadMethod } from './reader-types.ts'
import { halves, plan, type Rectangle } from './sweep-plan.ts'

export interface SweepDeps {
  reader: ReadMethod
  limits: EvmLimits
  budget: PairBudget
}

export interface SweepResult {
  block: BlockMark
  /** owner → token → non-zero balance */
  amounts: Map<string, Map<string, bigint>>
  /** Pairs whose token has no readable balance for the owner. */
  failed: { owner: string; token: string }[]
  /** Owners of whom a part could not be read: nothing may be said about their balances. */
  errors: Map<string, Error>
}

export interface PassOptions {
  /** Gas for one balanceOf. */
  gas: number
  /** The block to read at; left out = the latest. */
  block?: BlockMark
  /** What a single pair is that no node would run for its size: an error of its owner, or a failed token. */
  oversized: 'error' | 'failed'
}

/** The upstreams no longer agree with the first answer's block: everything must be read again. */
export class BlockLostError extends BadAnswerError {}

/** A node that is one block behind catches up within about this time. */
const catchUpMs = 250
const catchUpTries = 3

/**
 * One pass over rectangles at one block. The first job reads the latest block and pins it, unless the options do; the
 * others follow at that height. What cannot be read marks its owners, never shortens their balances.
 */
export async function sweepPass(
  rectangles: readonly Rectangle[],
  { reader, limits, budget }: SweepDeps,
  options: PassOptions,
  context: ReadContext,
): Promise<SweepResult> {
  let { block } = options
  const result: Omit<SweepResult, 'block'> = { amounts: new Map(), failed: [], errors: new Map() }
  let firstError: Error | undefined

  const query = async (job: Rectangle, tries = 0): Promise<BalanceAnswer> => {
    const at = block === undefined ? {} : { block: block.number }
    try {
      return await reader.balances({ ...job, gas: options.gas, answerBytes: limits.answerBytes, ...at }, context)
    } catch (error) {
      if (block === undefined || callFailure(error) !== 'block-missing') throw error
      if (tries === catchUpTries) throw new BlockLostError(`block ${block.number} was lost while it was read`, error)
      await sleep(catchUpMs, undefined, { signal: context.signal })
      return query(job, tries + 1)
    }
  }

  const keep = (job: Rectangle, answer: BalanceAnswer): void => {
    block ??= answer.block
    if (answer.block.number !== block.number || answer.block.fingerprint !== block.fingerprint) {
      throw new BlockLostError(`upstreams disagree about block ${block.number}`)
    }
    for (const { owner, token, value } of answer.amounts) {
      const address = job.owners[owner] ?? ''
      const held = result.amounts.get(address) ?? new Map<string, bigint>()
      result.amounts.set(address, held.set(job.tokens[token] ?? '', value))
    }
    // Positions below `done` only: what comes after is asked again.
    for (const { owner, token } of answer.failed) {
      result.failed.push({ owner: job.owners[owner] ?? '', token: job.tokens[token] ?? '' })
    }
  }

  const giveUp = (job: Rectangle, error: unknown): void => {
    const reason = error instanceof Error ? error : new Error(String(error))
    firstError ??= reason
    for (const owner of job.owners) result.errors.set(owner, reason)
  }

  const oversized = ({ owners, tokens }: Rectangle, error: unknown): void => {
    if (options.oversized === 'error') giveUp({ owners, tokens }, error)
    else for (const owner of owners) for (const token of tokens) result.failed.push({ owner, token })
  }

  const smaller = async (job: Rectangle, error: unknown): Promise<void> => {
    const parts = halves(job)
    if (parts.length === 0) return oversized(job, error)
    for (const part of parts) await runJob(part)
  }

  /** Not even the first token fitted for all owners. */
  const stuck = async ({ owners, tokens }: Rectangle): Promise<void> => {
    const half = Math.ceil(owners.length / 2)
    budget.shrink(half)
    if (owners.length === 1) {
      oversized({ owners, tokens: tokens.slice(0, 1) }, new BadAnswerError('too little gas for one balance'))
      if (tokens.length > 1) await runJob({ owners, tokens: tokens.slice(1) })
      return
    }
    for (const part of [owners.slice(0, half), owners.slice(half)]) await runJob({ owners: part, tokens })
  }

  const runJob = async (job: Rectangle): Promise<void> => {
    const pairs = job.owners.length * job.tokens.length
    let answer: BalanceAnswer
    try {
      answer = await query(job)
    } catch (error) {
      if (error instanceof BlockLostError) throw error
      const tooMuch = callFailure(error) === 'too-much'
      if (tooMuch || error instanceof DeadlineError) budget.shrink(Math.floor(pairs / 2))
      return tooMuch ? smaller(job, error) : giveUp(job, error)
    }
    keep(job, answer)
    if (answer.done >= job.tokens.length) return budget.passed(pairs)
    if (answer.done === 0) return stuck(job)
    budget.shrink(answer.done * job.owners.length)
    const rest = plan({ ...job, tokens: job.tokens.slice(answer.done) }, budget.size(), limits.requestBytes)
    await mapBounded(rest, limits.concurrency, runJob, context.signal)
  }

  const [first, ...others] = rectangles.flatMap((rectangle) => plan(rectangle, budget.size(), limits.requestBytes))
  if (first) await runJob(first)
  // Nothing is pinned when the first job failed: another job would learn another block.
  if (!block) throw firstError ?? new BadAnswerError('nothing was read')
  await mapBounded(others, limits.concurrency, runJob, context.signal)
  return { block, ...result }
}
