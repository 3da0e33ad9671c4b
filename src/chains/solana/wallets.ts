import { BadAnswerError } from '../../errors.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import { ACCOUNTS_PER_CALL } from './accounts.ts'
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

/** Every account of a request in one round of calls: lamports 100 owners a call, tokens a call per owner and program. */
export const readWallets = async (
  deps: { pool: UpstreamPool; limits: SolanaLimits; floor: SlotFloor },
  owners: readonly Owner[],
  context: ReadContext,
): Promise<[string, Outcome<Wallet>][]> => {
  const { pool, limits, floor } = deps
  const groups: Owner[][] = []
  for (let at = 0; at < owners.length; at += ACCOUNTS_PER_CALL) groups.push(owners.slice(at, at + ACCOUNTS_PER_CALL))
  const calls = [...groups.map(lamportsCall), ...owners.flatMap(tokenAccountCalls)]
  const answers = await callTogether(pool, calls, context, { spread: limits.maxSlotSpread, floor })

  const lamports = groups.map((group, index) =>
    attempt(() => readLamports(unwrap(answers[index], 'lamports').value, group.length)),
  )
  const mintName = createMintNames()
  return owners.map((owner, index) => {
    const at = groups.length + index * TOKEN_PROGRAMS.length
    const own = answers.slice(at, at + TOKEN_PROGRAMS.length)
    const group = lamports[Math.floor(index / ACCOUNTS_PER_CALL)]
    const wallet = attempt((): Wallet => {
      const native = unwrap(group, 'lamports')[index % ACCOUNTS_PER_CALL]
      if (native === undefined) throw new BadAnswerError('lamports were not answered')
      return { owner, native, holdings: readHoldings(own, { owner, most: limits.maxTokenAccounts, mintName }) }
    })
    return [owner.id, wallet]
  })
}
