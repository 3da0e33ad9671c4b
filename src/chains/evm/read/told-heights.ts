import { callFailure } from './call-failure.ts'
import type { ReadMethod } from './reader-types.ts'

type Told = { block: { number: bigint } }
type Ask<A> = (height: bigint) => Promise<A>

/**
 * Reads at the block that an earlier answer told of. What a call is told is the height that it is asked at, save where
 * nodes run calls as those of the block to come (IoTeX, eSpace of Conflux): there it is one more, for the latest block as
 * for any other, and what was told names a block that is not there yet. Which it is shows with the first answers at a
 * height; only what was told the wanted number counts.
 */
export function atToldHeights(reader: ReadMethod): ReadMethod {
  /** By how much what calls are told exceeds the height that they are asked at; undefined until somebody has shown it. */
  let ahead: bigint | undefined

  /** Undefined where the block before does not tell the wanted number: that block is missing, and nothing else the matter. */
  const askBefore = async <A extends Told>(wanted: bigint, ask: Ask<A>, error: unknown): Promise<A | undefined> => {
    const failure = callFailure(error)
    if (failure !== 'block-missing' && failure !== 'refused') return undefined
    const before = await ask(wanted - 1n).catch(() => undefined)
    return before?.block.number === wanted ? before : undefined
  }

  const readAt = async <A extends Told>(wanted: bigint, ask: Ask<A>): Promise<A> => {
    // Others learn meanwhile.
    const known = ahead
    const assumed = known ?? 0n
    let answer: A
    try {
      answer = await ask(wanted - assumed)
    } catch (error) {
      const before = known === undefined ? await askBefore(wanted, ask, error) : undefined
      if (!before) throw error
      ahead = 1n
      return before
    }
    const shown = assumed + answer.block.number - wanted
    if (shown !== 0n && shown !== 1n) return answer
    ahead = shown
    return shown === assumed ? answer : ask(wanted - shown)
  }

  return {
    name: reader.name,
    balances: (query, context) =>
      query.block === undefined
        ? reader.balances(query, context)
        : readAt(query.block, (block) => reader.balances({ ...query, block }, context)),
    calls: (query, context) =>
      query.block === undefined
        ? reader.calls(query, context)
        : readAt(query.block, (block) => reader.calls({ ...query, block }, context)),
  }
}
