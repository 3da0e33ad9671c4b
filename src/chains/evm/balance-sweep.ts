import { BadAnswerError } from '../../errors.ts'
import type { ReadContext } from '../capabilities.ts'
import type { EvmLimits } from './limits.ts'
import { createPairBudget } from './pair-budget.ts'
import { nativeToken, type ReadMethod } from './reader-types.ts'
import { sweepPass } from './sweep-pass.ts'
import type { Rectangle } from './sweep-plan.ts'
import { BlockLostError, type SweepResult } from './sweep-tally.ts'
import type { UnreadableTokens } from './unreadable-tokens.ts'

export interface BalanceSweep {
  /**
   * Reads all rectangles at one block. Tokens that failed are asked once more with more gas; those that fail again
   * are `failed` and remembered. Throws when nothing could be read, or when the upstreams lost the block repeatedly.
   */
  read(rectangles: readonly Rectangle[], context: ReadContext): Promise<SweepResult>
}

const attempts = 3

export function createBalanceSweep(reader: ReadMethod, limits: EvmLimits, unreadable: UnreadableTokens): BalanceSweep {
  const deps = { reader, limits, budget: createPairBudget(limits.pairsPerCall) }
  // Its own budget: what the retry with much gas can carry says nothing about the common call.
  const retryDeps = { ...deps, budget: createPairBudget(limits.pairsPerCall) }

  const retry = async (first: SweepResult, context: ReadContext): Promise<SweepResult> => {
    // A token that never gets better must not cost every new owner a second round trip. A native balance has to be read.
    const fresh = first.failed.filter(
      ({ token, owner }) => token === nativeToken || !(unreadable.has(token, owner) || unreadable.isHopeless(token)),
    )
    if (fresh.length === 0) return first
    const again = { owners: distinct(fresh, 'owner'), tokens: distinct(fresh, 'token') }
    const options = { gas: limits.retryTokenGas, block: first.block, oversized: 'failed' as const }
    const second = await sweepPass([again], retryDeps, options, context)
    // The rectangle around the failed pairs also holds pairs that were read well; their first answer stands.
    const asked = new Set(fresh.map(pairKey))
    const still = second.failed.filter((pair) => asked.has(pairKey(pair)))
    const failed = new Set(still.map(({ token }) => token))
    const errors = new Map([...first.errors, ...second.errors])
    for (const { token, owner } of fresh) if (!failed.has(token) && !errors.has(owner)) unreadable.helped(token)
    for (const { token, owner } of still) {
      // Every account has a native balance: when it cannot be read, the read failed.
      if (token === nativeToken) errors.set(owner, new BadAnswerError('native balance could not be read'))
      else unreadable.add(token, owner)
    }
    return {
      block: first.block,
      amounts: merged(first.amounts, second.amounts),
      failed: [...first.failed.filter((pair) => !asked.has(pairKey(pair))), ...still],
      errors,
    }
  }

  return {
    read: async (wanted, context) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await retry(
            await sweepPass(wanted, deps, { gas: limits.tokenGas, oversized: 'error' }, context),
            context,
          )
        } catch (error) {
          if (!(error instanceof BlockLostError) || attempt === attempts) throw error
        }
      }
    },
  }
}

type Pair = SweepResult['failed'][number]

const pairKey = ({ token, owner }: Pair): string => `${token}:${owner}`

const distinct = (pairs: readonly Pair[], side: keyof Pair): string[] => [...new Set(pairs.map((pair) => pair[side]))]

function merged(first: SweepResult['amounts'], second: SweepResult['amounts']): SweepResult['amounts'] {
  const all = new Map([...first].map(([owner, held]) => [owner, new Map(held)]))
  for (const [owner, held] of second) all.set(owner, new Map([...(all.get(owner) ?? []), ...held]))
  return all
}
