import { setTimeout as sleep } from 'node:timers/promises'
import { BadAnswerError, DeadlineError } from '../../../errors.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import { BlockLostError, callFailure, isToldTooMuch } from '../read/call-failure.ts'
import type { BalanceAnswer, BlockMark, CallContext, ReadMethod } from '../read/reader-types.ts'
import type { PairBudget } from './pair-budget.ts'
import { halves, plan, type Rectangle } from './sweep-plan.ts'
import { createSweepTally, type PassResult, type SweepTally } from './sweep-tally.ts'

export interface SweepDeps {
  reader: ReadMethod
  limits: EvmLimits
  budget: PairBudget
}

export interface PassOptions {
  /** Gas for one balanceOf. */
  gas: number
  /** The block to read at; left out = the latest. */
  block?: BlockMark
  /** What a single pair becomes that is too large for every node: an error of its owner, or a failed token. */
  oversized: 'error' | 'failed'
}

/**
 * A call that a node has not answered by its deadline, this many milliseconds after it was sent, is too large. A
 * shorter time says nothing: the call waited for its turn at a busy node, and smaller calls would only be more of them.
 */
const TOO_SLOW_MS = 3_000
/** A node that is one block behind catches up within about this time. */
const CATCH_UP_MS = 250
const CATCH_UP_TRIES = 3
/** Enough to get from the largest call to one pair a few times; a node that refuses everything is left alone. */
const MOST_SPLITS = 32

/**
 * One pass over rectangles at one block. The first job reads the latest block and pins it, unless the options do; the
 * others are read at that height. What cannot be read marks its owners as errors, and never shortens their balances.
 */
export async function sweepPass(
  rectangles: readonly Rectangle[],
  deps: SweepDeps,
  options: PassOptions,
  context: ReadContext,
): Promise<PassResult> {
  const { limits, budget } = deps
  const tally = createSweepTally(options.block)
  const run = createJobRunner(deps, options, tally, context)
  const jobs = rectangles.flatMap((rectangle) => plan(rectangle, budget.size(), limits.requestBytes))
  const [first] = jobs
  if (first && !tally.block()) await run(jobs.shift() ?? first)
  // If the first job failed, no block is pinned: another job would read at another block.
  if (tally.block()) await mapBounded(jobs, limits.concurrency, run, context.signal)
  return tally.result()
}

type RunJob = (job: Rectangle) => Promise<void>

/** Runs one job to its end: splits it when it is too large, and continues where an answer stopped. */
function createJobRunner(deps: SweepDeps, options: PassOptions, tally: SweepTally, context: ReadContext): RunJob {
  const { limits, budget } = deps
  const split = createSplitter(options, tally, (job) => run(job))

  const run: RunJob = async (wanted) => {
    // The rest of a lost owner is not worth a call.
    const job = { ...wanted, owners: wanted.owners.filter((owner) => !tally.isLost(owner)) }
    if (job.owners.length === 0) return
    const pairs = job.owners.length * job.tokens.length
    let answer: BalanceAnswer
    let sentAt = Number.NaN
    const onSent = (): void => {
      sentAt = performance.now()
    }
    try {
      answer = await query(job, deps, options, tally.block(), watched(context, onSent))
    } catch (error) {
      if (error instanceof BlockLostError) throw error
      const tooMuch = callFailure(error) === 'too-much'
      const tooSlow = error instanceof DeadlineError && performance.now() - sentAt > TOO_SLOW_MS
      if (pairs > 1 && (tooMuch || tooSlow)) budget.shrink(Math.floor(pairs / 2))
      return tooMuch ? split.inHalves(job, error) : tally.lose(job.owners, error)
    }
    tally.add(job, answer)
    if (answer.done >= job.tokens.length) return budget.passed(pairs)
    budget.shrink(answer.done === 0 ? Math.ceil(job.owners.length / 2) : answer.done * job.owners.length)
    if (answer.done === 0) return split.byOwner(job)
    const rest = plan({ ...job, tokens: job.tokens.slice(answer.done) }, budget.size(), limits.requestBytes)
    await mapBounded(rest, limits.concurrency, run, context.signal)
  }
  return run
}

const watched = (context: ReadContext, onSent: () => void): CallContext => ({
  signal: context.signal,
  get deadline() {
    return context.deadline
  },
  onSent,
})

/** One call; a node that does not know the pinned block yet gets a moment to catch up. */
async function query(
  job: Rectangle,
  { reader, limits }: SweepDeps,
  { gas }: PassOptions,
  block: BlockMark | undefined,
  context: CallContext,
): Promise<BalanceAnswer> {
  const wanted = { ...job, gas, answerBytes: limits.answerBytes, ...(block && { block: block.number }) }
  for (let tries = 0; ; tries++) {
    try {
      return await reader.balances(wanted, context)
    } catch (error) {
      if (!block || callFailure(error) !== 'block-missing') throw error
      if (tries === CATCH_UP_TRIES) throw new BlockLostError(`block ${block.number} was lost while it was read`, error)
      await sleep(CATCH_UP_MS, undefined, { signal: context.signal })
    }
  }
}

/** Replaces a job that is too large for every node by smaller ones, down to the single pair. */
function createSplitter(options: PassOptions, tally: SweepTally, run: RunJob) {
  let splits = 0
  const oversized = (pairs: Rectangle, error: unknown): void =>
    options.oversized === 'error' ? tally.lose(pairs.owners, error) : tally.fail(pairs)

  return {
    inHalves: async (job: Rectangle, error: unknown): Promise<void> => {
      const parts = halves(job)
      if (parts.length === 0) return isToldTooMuch(error) ? oversized(job, error) : tally.lose(job.owners, error)
      if (++splits > MOST_SPLITS) return tally.lose(job.owners, error)
      for (const part of parts) await run(part)
    },
    /** Not even the first token fitted for all owners. */
    byOwner: async ({ owners, tokens }: Rectangle): Promise<void> => {
      if (owners.length > 1) {
        const half = Math.ceil(owners.length / 2)
        for (const part of [owners.slice(0, half), owners.slice(half)]) await run({ owners: part, tokens })
        return
      }
      oversized({ owners, tokens: tokens.slice(0, 1) }, new BadAnswerError('too little gas for one balance'))
      if (tokens.length > 1) await run({ owners, tokens: tokens.slice(1) })
    },
  }
}
