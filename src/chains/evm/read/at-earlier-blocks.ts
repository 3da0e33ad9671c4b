import { callFailure } from './call-failure.ts'
import type { ReadMethod } from './reader-types.ts'

type Told = { block: { number: bigint } }
type Ask<A> = (height: bigint) => Promise<A>

/**
 * Reads at the block of an earlier answer. Calls report the height at which they run, except on nodes that run calls in
 * the block to come (IoTeX, eSpace of Conflux). There calls report one more, for the latest block as for any other, so
 * a reported number names a block that does not exist yet. The first answers at a height show which it is; only an
 * answer with the wanted number counts.
 */
export function atEarlierBlocks(reader: ReadMethod): ReadMethod {
  /** How much the number reported by calls exceeds the requested height; undefined until an answer has shown it. */
  let ahead: bigint | undefined

  /** Undefined if the block before does not report the wanted number: then the wanted block is simply missing. */
  const askBefore = async <A extends Told>(wanted: bigint, ask: Ask<A>, error: unknown): Promise<A | undefined> => {
    const failure = callFailure(error)
    if (failure !== 'block-missing' && failure !== 'refused') return undefined
    const before = await ask(wanted - 1n).catch(() => undefined)
    return before?.block.number === wanted ? before : undefined
  }

  const readAt = async <A extends Told>(wanted: bigint, ask: Ask<A>): Promise<A> => {
    // Read once: other reads may learn it meanwhile.
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
