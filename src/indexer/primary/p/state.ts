import { EMPTY_ID } from '../../../lib/bytes/ids.ts'
import type { OpenStaking, SubnetRow } from '../../../store/rows/index.ts'
import { createL1Validators, type L1Validators } from './l1-validators.ts'
import { createStakers, type Renewal, type Stakers } from './open-stakers.ts'
import type { RewardRules } from './reward.ts'

/** State that P blocks build on, kept in memory: open stakers and L1 validators, subnets, and a few numbers. */
export interface PState {
  /** Chain time, unix seconds. */
  time: bigint
  /** Supply by subnet; the primary network uses the empty id. */
  readonly supply: Map<string, bigint>
  /** Rules of permissionless subnets. */
  readonly elastic: Map<string, ElasticSubnet>
  readonly stakers: Stakers
  readonly subnets: Map<string, SubnetRow>
  readonly l1: L1Validators
  /** The genesis did not come from a file: for status and health, for as long as this index exists. */
  genesisInferred?: boolean
}

export interface ElasticSubnet extends RewardRules {
  assetId: string
}

export function createPState(time: bigint): PState {
  return {
    time,
    supply: new Map(),
    elastic: new Map(),
    stakers: createStakers(),
    subnets: new Map(),
    l1: createL1Validators(),
  }
}

interface Written {
  supply: [string, string][]
  elastic: [string, WrittenNumbers][]
  accruedFees: string
  excess: string
  legacy?: string[]
  renewals?: [string, WrittenNumbers][]
  genesisInferred?: boolean
}
type WrittenNumbers = Record<string, string | number>

/** State that is in no row, for the stream's own state. */
export function writePState(state: PState): string {
  const legacy = [...state.stakers.all()].filter((staker) => staker.legacy && staker.pending).map(({ txId }) => txId)
  const renewals = [...state.stakers.all()].flatMap(({ txId, renewal }): [string, WrittenNumbers][] =>
    renewal ? [[txId, withText(renewal)]] : [],
  )
  const written: Written = {
    supply: [...state.supply].map(([id, amount]) => [id, String(amount)]),
    elastic: [...state.elastic].map(([id, rules]) => [id, withText(rules)]),
    accruedFees: String(state.l1.accruedFees),
    excess: String(state.l1.excess),
    ...(legacy.length > 0 ? { legacy } : {}),
    ...(renewals.length > 0 ? { renewals } : {}),
    ...(state.genesisInferred === true ? { genesisInferred: true } : {}),
  }
  return JSON.stringify(written)
}

/** @param text what `writePState` wrote with the last range */
export function readPState(time: bigint, text: string, open: OpenStaking): PState {
  const written = JSON.parse(text) as Written
  const state = createPState(time)
  for (const [id, amount] of written.supply) state.supply.set(id, BigInt(amount))
  for (const [id, rules] of written.elastic) state.elastic.set(id, readElastic(rules))
  state.l1.accruedFees = BigInt(written.accruedFees)
  state.l1.excess = BigInt(written.excess)
  if (written.genesisInferred === true) state.genesisInferred = true
  const legacy = new Set(written.legacy)
  const renewals = new Map(written.renewals)
  for (const staker of open.stakers) {
    const renewal = renewals.get(staker.txId)
    state.stakers.add({
      ...staker,
      ...(legacy.has(staker.txId) ? { legacy: true } : {}),
      ...(renewal ? { renewal: readRenewal(renewal) } : {}),
    })
  }
  for (const subnet of open.subnets) state.subnets.set(subnet.id, subnet)
  for (const validator of open.l1Validators) state.l1.set(validator)
  return state
}

function withText(value: object): WrittenNumbers {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, typeof member === 'bigint' ? String(member) : member]),
  ) as WrittenNumbers
}

function readElastic(written: WrittenNumbers): ElasticSubnet {
  const number = (name: keyof RewardRules): bigint => BigInt(written[name] ?? 0)
  return {
    assetId: String(written['assetId']),
    maxRate: number('maxRate'),
    minRate: number('minRate'),
    mintingSeconds: number('mintingSeconds'),
    supplyCap: number('supplyCap'),
  }
}

function readRenewal(written: WrittenNumbers): Renewal {
  return {
    period: BigInt(written['period'] ?? 0),
    compoundShares: Number(written['compoundShares']),
    accruedRewards: BigInt(written['accruedRewards'] ?? 0),
    accruedFees: BigInt(written['accruedFees'] ?? 0),
  }
}

export const PRIMARY_NETWORK = EMPTY_ID

/** The primary network's supply, nAVAX; undefined if the genesis is not known. */
export const primarySupply = (state: PState): bigint | undefined => state.supply.get(PRIMARY_NETWORK)
