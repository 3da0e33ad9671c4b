import { BadAnswerError } from '../../../errors.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import { BlockLostError } from '../read/call-failure.ts'
import { type BlockMark, NATIVE_TOKEN, type ReadMethod } from '../read/reader-types.ts'
import { earlier } from './earlier.ts'
import { createPairBudget } from './pair-budget.ts'
import { createPairSet, eachPair, type PairSet, pairSetOf, pairsThat } from './pair-set.ts'
import { BURNING_PARTS, type PatientResult, patientPass } from './patient-pass.ts'
import { sweepPass } from './sweep-pass.ts'
import { inParts, type Rectangle, rectanglesOf } from './sweep-plan.ts'
import { joined, joinedAmounts, type Pair, type PassResult, type SweepResult } from './sweep-tally.ts'
import type { UnreadableTokens } from './unreadable-tokens.ts'

export interface BalanceSweep {
  /**
   * Reads all rectangles at one block. Tokens that failed are asked once more with more gas; those that fail again
   * are `failed` and remembered. Throws when nothing could be read, or when the upstreams lost the block repeatedly.
   *
   * @param later rectangles that become known while the first are read
   */
  read(
    rectangles: readonly Rectangle[],
    context: ReadContext,
    later?: Promise<readonly Rectangle[]>,
    options?: SweepOptions,
  ): Promise<SweepResult>
}

export interface SweepOptions {
  /** The block to read at, tried once; left out = the latest. */
  at?: BlockMark
  /**
   * False for a latest block that is of no use: OldBlockError is thrown then. What fails at such a block is not
   * remembered, since tokens may not be there yet.
   */
  isWanted?: (block: BlockMark) => boolean
}

/** See `SweepOptions.isWanted`. */
export class OldBlockError extends BadAnswerError {}

const ATTEMPTS = 3
/** Share of the remaining time for rectangles that become known while the first are read. */
const LATER_SHARE = 0.6

export function createBalanceSweep(reader: ReadMethod, limits: EvmLimits, unreadable: UnreadableTokens): BalanceSweep {
  const deps = { reader, limits, budget: createPairBudget(limits.pairsPerCall) }
  // A separate budget: what the retry with much gas can carry says nothing about the common call.
  const retryDeps = { ...deps, budget: createPairBudget(limits.pairsPerCall) }

  const hasty = { gas: limits.tokenGas, oversized: 'error' as const }
  const patient = { gas: limits.retryTokenGas }

  /** A token that failed even with much gas has no readable balance; a missing native balance is an error. */
  const settle = async (
    second: PatientResult,
    still: readonly Pair[],
    asked: readonly Rectangle[],
    wanted: readonly Rectangle[],
  ): Promise<SweepResult['errors']> => {
    const errors = new Map(second.errors)
    const guessed = await pairSetOf(second.guessed)
    for (const token of second.burning) unreadable.addBurning(token)
    await eachPair(still, (pair) => {
      if (pair.token === NATIVE_TOKEN) errors.set(pair.owner, new BadAnswerError('native balance could not be read'))
      else if (!guessed.has(pair)) unreadable.add(pair.token, pair.owner)
    })
    await rememberAnswers(second, asked, unreadable)
    for (const token of distinct(second.guessed, 'token')) {
      const rectangle = wanted.find(({ tokens }) => tokens.includes(token))
      if (rectangle) unreadable.addTogether(token, rectangle.owners)
    }
    return errors
  }

  const retry = async (
    first: SweepResult,
    settled: PairSet,
    wanted: readonly Rectangle[],
    context: ReadContext,
  ): Promise<SweepResult> => {
    const readOwners = ownersOf(wanted)
    const unsettled = await pairsThat(
      first.failed,
      (pair) => !unreadable.has(pair.token, pair.owner, readOwners) && !settled.has(pair),
    )
    const given = givenUp(unsettled, wanted, limits.patientTokens, unreadable)
    const fresh = await pairsThat(unsettled, ({ token, owner }) => {
      if (given.has(token)) unreadable.putOff(token, owner, readOwners)
      else if (token !== NATIVE_TOKEN) unreadable.trouble(token, owner)
      return !given.has(token)
    })
    if (fresh.length === 0) return first
    for (const token of distinct(fresh, 'token')) unreadable.trying(token)
    const again = { owners: distinct(fresh, 'owner'), tokens: distinct(fresh, 'token') }
    // The rectangle around the failed pairs also contains pairs that were read well; their first answer stays.
    const asked = await pairSetOf(fresh)
    const hasAnswered = answeredTokens(first, wanted)
    const options = { ...patient, block: first.block, concerns: asked.has, hasAnswered }
    const rectangles = spread(again, unreadable)
    const second = await patientPass(rectangles, retryDeps, options, context)
    const still = await pairsThat(second.failed, asked.has)
    const errors = await settle(second, still, rectangles, wanted)
    if (second.burning.size > 0) await rememberAnswers(first, onlyThese(wanted, second.burning), unreadable)
    return {
      block: first.block,
      amounts: joinedAmounts(first.amounts, second.amounts),
      failed: [...(await pairsThat(first.failed, (pair) => !asked.has(pair))), ...still],
      errors: new Map([...first.errors, ...errors]),
      traits: new Map([...first.traits, ...second.traits]),
    }
  }

  /** One pass over each rectangle at the block of the common calls; passes already made at it (`early`) are reused. */
  const passesAt = async (
    apart: readonly Rectangle[],
    early: readonly (PassResult | undefined)[],
    block: BlockMark,
    context: ReadContext,
  ): Promise<PassResult> => {
    const options = { ...patient, oversized: 'failed' as const, block }
    const passes = await mapBounded(apart, limits.concurrency, async (rectangle, at) => {
      const begun = early[at]
      return begun && isSameBlock(begun.block, block) ? begun : sweepPass([rectangle], retryDeps, options, context)
    })
    return {
      block,
      amounts: passes.reduce((all, { amounts }) => joinedAmounts(all, amounts), new Map()),
      failed: passes.flatMap(({ failed }) => failed),
      unasked: passes.flatMap(({ unasked }) => unasked),
      errors: new Map(passes.flatMap(({ errors }) => [...errors])),
      traits: new Map(passes.flatMap(({ traits }) => [...traits])),
    }
  }

  /** Asks tokens that common calls fail to read in parallel with much gas, which saves a second round trip. */
  const readFirst = async (
    wanted: readonly Rectangle[],
    settled: PairSet,
    context: ReadContext,
    { at, isWanted = () => true }: SweepOptions,
  ): Promise<SweepResult> => {
    const { common, apart } = separated(wanted, unreadable, limits.patientTokens)
    const reading = sweepPass(common, deps, { ...hasty, ...(at && { block: at }) }, context)
    const options = { ...patient, oversized: 'failed' as const, ...(at && { block: at }) }
    const beside = mapBounded(apart, limits.concurrency, (rectangle) =>
      sweepPass([rectangle], retryDeps, options, context).catch(() => undefined),
    )
    const [first, early] = await Promise.all([reading, beside])
    const { block } = first
    if (!isWanted(block)) throw new OldBlockError(`block ${block.number} is older than what was told before`)
    if (apart.length === 0) return first
    const begun = await passesAt(apart, early, block, context)
    const second = await patientPass(apart, retryDeps, { ...patient, block, begun }, context)
    await eachPair(second.failed, settled.add)
    return joined(first, { ...second, errors: await settle(second, second.failed, apart, wanted) })
  }

  const readAll = async (
    wanted: readonly Rectangle[],
    context: ReadContext,
    later: Promise<readonly Rectangle[]> | undefined,
    options: SweepOptions,
  ): Promise<SweepResult> => {
    const settled = createPairSet()
    const first = await readFirst(wanted, settled, context, options)
    const more = (await later) ?? []
    if (more.length === 0) return retry(first, settled, wanted, context)
    // If these take too long, only the owners that hold them become errors.
    const second = await sweepPass(more, deps, { ...hasty, block: first.block }, earlier(context, LATER_SHARE))
    return retry(joined(first, second), settled, [...wanted, ...more], context)
  }

  return {
    read: async (wanted, context, later, options = {}) => {
      // If the first rectangles have failed, nobody waits for the later ones.
      later?.catch(() => {})
      for (let attempt = 1; ; attempt++) {
        try {
          return await readAll(wanted, context, later, options)
        } catch (error) {
          if (!(error instanceof BlockLostError) || attempt === ATTEMPTS || options.at) throw error
        }
      }
    },
  }
}

/** All owners of a read: the rectangle for all of them comes first. */
const ownersOf = ([first]: readonly Rectangle[]): readonly string[] => first?.owners ?? []

/** Splits off the tokens that common calls fail to read; those worth asking become rectangles `apart`. */
function separated(wanted: readonly Rectangle[], unreadable: UnreadableTokens, mostUnlisted: number) {
  const common: Rectangle[] = []
  const apart: Rectangle[] = []
  let left = mostUnlisted
  for (const { owners, tokens, unlisted } of wanted) {
    const troubled = tokens.filter((token) => unreadable.isTroubled(token) && (!unlisted?.has(token) || left-- > 0))
    if (troubled.length < tokens.length) {
      common.push({ owners, tokens: troubled.length === 0 ? tokens : tokens.filter((one) => !troubled.includes(one)) })
    }
    const asked = troubled.filter((token) => !unreadable.covers(token, owners))
    const isOpen = (token: string, owner: string): boolean => !unreadable.has(token, owner, ownersOf(wanted))
    const open = asked.map((token) => [token, owners.filter((owner) => isOpen(token, owner))] as const)
    apart.push(...rectanglesOf(open).flatMap((one) => spread(one, unreadable)))
  }
  return { common, apart }
}

/** Splits the owners for whom a token may burn its gas into parts, so that few others come after each of them. */
function spread({ owners, tokens }: Rectangle, unreadable: UnreadableTokens): Rectangle[] {
  const perilous = owners.filter((owner) => tokens.some((token) => unreadable.mayBurn(token, owner)))
  if (perilous.length === 0) return [{ owners, tokens }]
  const parts = inParts({ owners: perilous, tokens }, BURNING_PARTS)
  const safe = owners.filter((owner) => !perilous.includes(owner))
  return safe.length === 0 ? parts : [{ owners: safe, tokens }, ...parts]
}

async function rememberAnswers(
  { failed, errors }: SweepResult,
  asked: readonly Rectangle[],
  unreadable: UnreadableTokens,
): Promise<void> {
  const burning = asked.map(({ owners, tokens }) => ({ owners, tokens: tokens.filter(unreadable.isBurning) }))
  if (burning.every(({ tokens }) => tokens.length === 0)) return
  const unread = await pairSetOf(failed)
  for (const { owners, tokens } of burning)
    for (const owner of owners)
      for (const token of tokens)
        if (!errors.has(owner) && !unread.has({ token, owner })) unreadable.addAnswer(token, owner)
}

/**
 * Unlisted tokens that are not asked with much gas: anybody can send anybody thousands that burn it, and the time they
 * take is missing for the others. Tokens that were asked so before come last, so that each has its turn.
 */
function givenUp(
  failed: readonly Pair[],
  wanted: readonly Rectangle[],
  most: number,
  { triedAt }: UnreadableTokens,
): Set<string> {
  const unlisted = distinct(failed, 'token').filter((token) => wanted.some((one) => one.unlisted?.has(token)))
  return new Set(unlisted.sort((one, other) => triedAt(one) - triedAt(other)).slice(most))
}

const onlyThese = (rectangles: readonly Rectangle[], wanted: ReadonlySet<string>): Rectangle[] =>
  rectangles.map(({ owners, tokens }) => ({ owners, tokens: tokens.filter((token) => wanted.has(token)) }))

/** Tokens that were read for some owner, in any rectangle: an owner who is neither failed nor lost. */
function answeredTokens({ failed, errors }: SweepResult, wanted: readonly Rectangle[]): (token: string) => boolean {
  return (token) => {
    const unread = new Set(failed.flatMap((pair) => (pair.token === token ? [pair.owner] : [])))
    const isRead = (owner: string): boolean => !unread.has(owner) && !errors.has(owner)
    return wanted.some(({ owners, tokens }) => tokens.includes(token) && owners.some(isRead))
  }
}

const isSameBlock = (one: SweepResult['block'], other: SweepResult['block']): boolean =>
  one.number === other.number && one.fingerprint === other.fingerprint

const distinct = (pairs: readonly Pair[], side: keyof Pair): string[] => [...new Set(pairs.map((pair) => pair[side]))]
