import { BadAnswerError, failure } from '../../errors.ts'
import { inChunks } from '../../lib/in-chunks.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import type { AccountsPerCall } from './accounts-per-call.ts'
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
import { callTogether, type Slotted } from './slotted.ts'

/** What one owner has, before the mints' facts are known. */
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

interface ReadWallet {
  outcome: Outcome<Wallet>
  /** One server moved to another slot between the owner's lamports and tokens. */
  isSplit: boolean
}

const isSplit = (told: readonly (Outcome<Slotted> | undefined)[]): boolean => {
  const [first] = told
  if (!first?.ok || !first.value.server) return false
  const { server, slot } = first.value
  return (
    told.every((one) => one?.ok && one.value.server === server) &&
    told.some((one) => one?.ok && one.value.slot !== slot)
  )
}

/** Owners whose answers are parsed in one turn of the event loop; many tokens take additional turns. */
const OWNERS_PER_TURN = 20

/** @param lamportsOf throws if the lamports were not answered */
const readWallet = async (
  by: Parameters<typeof readHoldings>[1],
  answers: Parameters<typeof readHoldings>[0],
  lamportsOf: () => bigint | undefined,
): Promise<Outcome<Wallet>> => {
  try {
    const native = lamportsOf()
    if (native === undefined) throw new BadAnswerError('lamports were not answered')
    return { ok: true, value: { owner: by.owner, native, holdings: await readHoldings(answers, by) } }
  } catch (error) {
    return failure(error)
  }
}

/** One round of calls: lamports of many owners per call, tokens in one call per owner and program. */
const readOnce = async (
  { pool, perCall, limits, floor }: WalletsDeps,
  owners: readonly Owner[],
  context: ReadContext,
): Promise<Map<Owner, ReadWallet>> => {
  const spread = { spread: limits.maxSlotSpread, floor }
  const tokens = owners.flatMap(tokenAccountCalls)
  const ask = async () => {
    const size = perCall.most()
    const groups = inChunks(owners, size)
    const answers = await callTogether(pool, [...groups.map(lamportsCall), ...tokens], context, spread)
    return { size, groups, answers }
  }
  const isRefused = ({ groups, answers }: Awaited<ReturnType<typeof ask>>): boolean =>
    groups.some((group, at) => {
      const answer = answers[at]
      return answer?.ok === false && perCall.learn(answer.error, group.length)
    })
  let asked = await ask()
  // Tokens are read again too: older tokens would stand beside newer lamports.
  while (isRefused(asked)) asked = await ask()
  const { size, groups, answers } = asked

  const lamports = groups.map((group, index) =>
    attempt(() => readLamports(unwrap(answers[index], 'lamports').value, group.length)),
  )
  const mintName = createMintNames()
  const found = new Map<Owner, ReadWallet>()
  for (const [index, owner] of owners.entries()) {
    const at = groups.length + index * TOKEN_PROGRAMS.length
    const own = answers.slice(at, at + TOKEN_PROGRAMS.length)
    const group = Math.floor(index / size)
    const outcome = await readWallet({ owner, most: limits.maxTokenAccounts, mintName }, own, () =>
      unwrap(lamports[group], 'lamports').at(index % size),
    )
    if (index % OWNERS_PER_TURN === OWNERS_PER_TURN - 1) await nextTurn()
    found.set(owner, { outcome, isSplit: outcome.ok && isSplit([answers[group], ...own]) })
  }
  return found
}

/** Time reserved for reading mints afterwards, milliseconds. */
const LEAST_LEFT_MS = 1_000
/**
 * Most owners that are read again. More are split if each call is answered from its own slot (a server without batches,
 * several behind one name): the next round would be no better, and there is no room for twice the calls.
 */
export const MOST_AGAIN = 4

/**
 * Reads every account of a request in one round of calls. A server may move to the next slot between two answers, and
 * what was wrapped or swapped there would be in both or in neither: affected owners are read once more, while there is
 * time. A validator answers all calls of a batch from one state, so hardly any are split then.
 */
export const readWallets = async (
  deps: WalletsDeps,
  owners: readonly Owner[],
  context: ReadContext,
): Promise<[string, Outcome<Wallet>][]> => {
  const startedAt = Date.now()
  const found = await readOnce(deps, owners, context)
  const split = owners.filter((owner) => found.get(owner)?.isSplit)
  // A complete result must not become late only because it could be better.
  const endsAt = Date.now() + (Date.now() - startedAt) + LEAST_LEFT_MS
  if (split.length > 0 && split.length <= MOST_AGAIN && endsAt < context.deadline) {
    for (const [owner, read] of await readOnce(deps, split, context)) if (read.outcome.ok) found.set(owner, read)
  }
  return [...found].map(([{ id }, { outcome }]) => [id, outcome])
}
