import { BadAnswerError } from '../../errors.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import { type AccountsPerCall, inParts } from './accounts-per-call.ts'
import {
  createMintNames,
  type Holding,
  lamportsCall,
  type Owner,
  readHoldings,
  readLamports,
  tokenAccountCalls,
} from './holdings.ts'
import type { SolanaLimits } from './limits.ts'
import { attempt, unwrap } from './outcomes.ts'
import { TOKEN_PROGRAMS } from './programs.ts'
import type { SlotFloor } from './slot-floor.ts'
import { callTogether } from './slotted.ts'

/** What one owner has, before the mints are known. */
export interface Wallet {
  owner: Owner
  /** lamports */
  native: bigint
  holdings: Holding[]
}

export interface WalletsDeps {
  pool: UpstreamPool
  perCall: AccountsPerCall
  limits: SolanaLimits
  floor: SlotFloor
}

/** Every account of a request in one round of calls: lamports of many owners a call, tokens a call per owner and program. */
export const readWallets = async (
  { pool, perCall, limits, floor }: WalletsDeps,
  owners: readonly Owner[],
  context: ReadContext,
): Promise<[string, Outcome<Wallet>][]> => {
  const spread = { spread: limits.maxSlotSpread, floor }
  const tokens = owners.flatMap(tokenAccountCalls)
  const ask = async () => {
    const size = perCall.most()
    const groups = inParts(owners, size)
    const answers = await callTogether(pool, [...groups.map(lamportsCall), ...tokens], context, spread)
    return { size, groups, answers }
  }
  const isRefused = ({ groups, answers }: Awaited<ReturnType<typeof ask>>): boolean =>
    groups.some((group, at) => {
      const answer = answers[at]
      return answer?.ok === false && perCall.learn(answer.error, group.length)
    })
  let asked = await ask()
  // Tokens, too: lamports of later would stand beside those of before.
  while (isRefused(asked)) asked = await ask()
  const { size, groups, answers } = asked

  const lamports = groups.map((group, index) =>
    attempt(() => readLamports(unwrap(answers[index], 'lamports').value, group.length)),
  )
  const mintName = createMintNames()
  return owners.map((owner, index) => {
    const at = groups.length + index * TOKEN_PROGRAMS.length
    const own = answers.slice(at, at + TOKEN_PROGRAMS.length)
    const group = lamports[Math.floor(index / size)]
    const wallet = attempt((): Wallet => {
      const native = unwrap(group, 'lamports')[index % size]
      if (native === undefined) throw new BadAnswerError('lamports were not answered')
      return { owner, native, holdings: readHoldings(own, { owner, most: limits.maxTokenAccounts, mintName }) }
    })
    return [owner.id, wallet]
  })
}
