import { BadAnswerError } from '../../../errors.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { BlockMark } from '../read/reader-types.ts'
import { pairSetOf, pairsThat } from './pair-set.ts'
import { type SweepDeps, sweepPass } from './sweep-pass.ts'
import { inParts, type Rectangle, rectanglesOf } from './sweep-plan.ts'
import { joined, type Pair, type PassResult, type SweepResult } from './sweep-tally.ts'
import { BURNS_FOR_ALL } from './unreadable-tokens.ts'

export interface PatientResult extends SweepResult {
  /** Those of `failed` that were not asked, because the token burns its gas for every owner. */
  guessed: Pair[]
  /** Tokens that burn their gas for some owner. */
  burning: Set<string>
}

/** Parts into which the owners are split for a token known to burn its gas: a further turn is rarely needed. */
export const BURNING_PARTS = BURNS_FOR_ALL + 1
/** So many turns reach all 253 owners of a call, even if a token burns its gas for each of them but one. */
const MOST_TURNS = 9

export interface PatientOptions {
  /** Gas for one balanceOf. */
  gas: number
  /** The block to read at; left out = the latest. */
  block?: BlockMark
  /** Pairs of the rectangles that matter; default all. */
  concerns?: (pair: Pair) => boolean
  /** Whether the token is known to have answered for some owner of this read. */
  hasAnswered?: (token: string) => boolean
  /** Result of a pass over the rectangles at that block; left out = it is still to be made. */
  begun?: PassResult
}

/**
 * A pass with much gas. A token that burns it for one owner leaves the owners after it unasked, and must not hide their
 * money. They are asked again in two parts, then in four, until each was asked.
 */
export async function patientPass(
  rectangles: readonly Rectangle[],
  deps: SweepDeps,
  { gas, block: pinned, concerns = () => true, hasAnswered = () => false, begun }: PatientOptions,
  context: ReadContext,
): Promise<PatientResult> {
  const pass = (wanted: readonly Rectangle[], block: BlockMark | undefined): Promise<PassResult> =>
    sweepPass(wanted, deps, { gas, oversized: 'failed', ...(block && { block }) }, context)
  const { unasked, ...answered } = begun ?? (await pass(rectangles, pinned))
  const asked = pairsByToken(rectangles)
  let read: SweepResult = { ...answered, failed: await without(unasked, answered.failed) }
  const burning = new Set(unasked.map(({ token }) => token))
  let open = unasked.filter(concerns)
  for (let turn = 1; open.length > 0 && turn < MOST_TURNS; turn++) {
    const hopeless = burningForAll(asked, read.failed, open, hasAnswered)
    const worth = open.filter(({ token }) => !hopeless.has(token))
    if (worth.length === 0) break
    const next = await pass(split(worth, 2 ** turn), read.block)
    read = joined(read, { ...next, failed: await without(next.unasked, next.failed) })
    open = [...open.filter(({ token }) => hopeless.has(token)), ...next.unasked]
  }
  const hopeless = burningForAll(asked, read.failed, open, hasAnswered)
  const guessed = open.filter(({ token }) => hopeless.has(token))
  const errors = new Map(read.errors)
  // The token answers for some owners: leaving the others out would say that they have none.
  for (const { token, owner } of open)
    if (!hopeless.has(token)) errors.set(owner, new BadAnswerError(`the balance of token ${token} could not be read`))
  return { ...read, failed: [...read.failed, ...guessed], guessed, burning, errors }
}

/** How many owners each token is asked for. */
function pairsByToken(rectangles: readonly Rectangle[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (const { owners, tokens } of rectangles)
    for (const token of tokens) pairs.set(token, (pairs.get(token) ?? 0) + owners.length)
  return pairs
}

async function without(unasked: readonly Pair[], failed: Pair[]): Promise<Pair[]> {
  if (unasked.length === 0) return failed
  const behind = await pairSetOf(unasked)
  return pairsThat(failed, (pair) => !behind.has(pair))
}

/** Tokens that failed for some owners and answered none of those that were asked. */
function burningForAll(
  asked: ReadonlyMap<string, number>,
  failed: readonly Pair[],
  open: readonly Pair[],
  hasAnswered: (token: string) => boolean,
): Set<string> {
  if (open.length === 0) return new Set()
  const failures = countByToken(failed)
  const waiting = countByToken(open)
  const tokens = [...waiting].filter(([token, unasked]) => {
    const count = failures.get(token) ?? 0
    return count >= BURNS_FOR_ALL && count + unasked === asked.get(token) && !hasAnswered(token)
  })
  return new Set(tokens.map(([token]) => token))
}

function countByToken(pairs: readonly Pair[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { token } of pairs) counts.set(token, (counts.get(token) ?? 0) + 1)
  return counts
}

/** Rectangles for the tokens that the same owners wait for, each split into `parts`. */
function split(pairs: readonly Pair[], parts: number): Rectangle[] {
  const owners = new Map<string, string[]>()
  for (const { token, owner } of pairs) owners.set(token, [...(owners.get(token) ?? []), owner])
  return rectanglesOf(owners).flatMap((rectangle) => inParts(rectangle, parts))
}
