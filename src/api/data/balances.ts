import { type Static, Type } from '@sinclair/typebox'
import type { BalanceGroup } from '../../store/index.ts'
import { assetMembers, presentAsset, withAssets } from './assets.ts'
import {
  type PrimaryChain,
  type PrimaryDeps,
  type PrimaryParams,
  PrimaryParamsSchema,
  readAddresses,
  requireFresh,
  resolveChain,
} from './primary-chain.ts'
import type { DataRoute } from './route.ts'
import { answers, ChainInfoSchema, closed, unixSeconds } from './schemas.ts'
import { requireWholeHistory } from './whole-history.ts'

const MAX_ADDRESSES = 64

const Aggregated = closed('AggregatedAssetAmount', { ...assetMembers, utxoCount: Type.Number() })
const shared = { ...assetMembers, utxoCount: Type.Number(), sharedWithChainId: Type.String() }
const PShared = closed('PChainSharedAsset', { ...shared, status: Type.String() })
const Shared = closed('SharedAssetBalance', shared)
const list = Type.Array

/** All eight are required: an answer with one missing is taken by SDKs for a C-chain answer, without an error. */
const PChainBalanceSchema = closed('PChainBalance', {
  unlockedUnstaked: list(Aggregated),
  unlockedStaked: list(Aggregated),
  lockedPlatform: list(Aggregated),
  lockedStakeable: list(Aggregated),
  lockedStaked: list(Aggregated),
  pendingStaked: list(Aggregated),
  atomicMemoryUnlocked: list(PShared),
  atomicMemoryLocked: list(PShared),
})
const XChainBalancesSchema = closed('XChainBalances', {
  locked: list(Aggregated),
  unlocked: list(Aggregated),
  atomicMemoryUnlocked: list(Shared),
  atomicMemoryLocked: list(Shared),
})
const CChainAtomicBalancesSchema = closed('CChainAtomicBalances', {
  atomicMemoryUnlocked: list(Shared),
  atomicMemoryLocked: list(Shared),
})
const answer = <T extends typeof PChainBalanceSchema | typeof XChainBalancesSchema | typeof CChainAtomicBalancesSchema>(
  title: string,
  balances: T,
) => closed(title, { balances, chainInfo: ChainInfoSchema })

const BalancesQuery = Type.Object({
  addresses: Type.Optional(Type.String({ description: 'Comma separated, at most 64.' })),
  blockTimestamp: Type.Optional(unixSeconds('Unix seconds: the balance as it was then.')),
})

/**
 * Balances now, or at a past time. `edge` says what counts at exactly that time: `strict` leaves out what was created in
 * that second (as the hosted service does), `inclusive` has it (as a node at that chain time does).
 */
export function balanceRoutes(deps: PrimaryDeps & { edge: 'strict' | 'inclusive' }): DataRoute[] {
  return [
    {
      method: 'GET',
      url: '/v1/networks/:network/blockchains/:blockchainId/balances',
      operationId: 'getBalancesByAddresses',
      tag: 'Primary Network Balances',
      summary: 'Get balances',
      description:
        'On P and X all that the addresses own together; on C only what lies in shared memory towards C. Shared memory is listed under the chain that can import it.',
      weight: 'xl',
      params: PrimaryParamsSchema,
      query: BalancesQuery,
      response: answers(
        200,
        'Balances by category.',
        Type.Union([
          answer('ListPChainBalancesResponse', PChainBalanceSchema),
          answer('ListXChainBalancesResponse', XChainBalancesSchema),
          answer('ListCChainAtomicBalancesResponse', CChainAtomicBalancesSchema),
        ]),
      ),
      async handle(request, reply) {
        const query = request.query as Static<typeof BalancesQuery>
        const addresses = readAddresses(query.addresses, MAX_ADDRESSES)
        const chain = await resolveChain(deps, request.params as PrimaryParams)
        await requireFresh(deps, chain, reply, 'network')
        requireWholeHistory(chain)
        const now = BigInt(Math.floor(deps.now() / 1000))
        const at = query.blockTimestamp === undefined ? undefined : BigInt(query.blockTimestamp)
        const groups = await deps.index.balances.groups({
          chain: chain.name,
          addresses,
          locksAt: at ?? now,
          ...(at === undefined ? {} : { at, edge: deps.edge }),
        })
        return { balances: categories(await withAssets(deps, chain, groups), chain), chainInfo: chain.chainInfo }
      },
    },
  ]
}

function categories(groups: readonly BalanceGroup[], chain: PrimaryChain) {
  // Minting rights and NFTs are no amounts; what was exported belongs to the chain that can import it.
  const counted = groups.filter((group) => group.kind === 'transfer' && group.direction !== 'exported')
  const native = counted.filter((group) => group.direction === 'native')
  const importable = counted.filter((group) => group.direction === 'importable')
  const sum = (choose: (group: BalanceGroup) => boolean) => aggregate(native.filter(choose), chain)
  const atomic = {
    atomicMemoryUnlocked: aggregateShared(
      importable.filter((group) => !group.platformLocked),
      chain,
    ),
    atomicMemoryLocked: aggregateShared(
      importable.filter((group) => group.platformLocked),
      chain,
    ),
  }
  if (chain.letter === 'C') return atomic
  if (chain.letter === 'X') {
    return { locked: sum((group) => group.platformLocked), unlocked: sum((group) => !group.platformLocked), ...atomic }
  }
  const unstaked = (group: BalanceGroup): boolean => group.staking === 'none'
  const staked = (group: BalanceGroup): boolean => group.staking === 'active'
  const pending = <T extends object>(entry: T) => ({ ...entry, status: 'pendingImport' })
  return {
    unlockedUnstaked: sum((group) => unstaked(group) && !group.platformLocked && !group.stakeableLocked),
    unlockedStaked: sum((group) => staked(group) && !group.lockedAfterStaking),
    lockedPlatform: sum((group) => unstaked(group) && group.platformLocked),
    lockedStakeable: sum((group) => unstaked(group) && !group.platformLocked && group.stakeableLocked),
    lockedStaked: sum((group) => staked(group) && group.lockedAfterStaking),
    pendingStaked: sum((group) => group.staking === 'pending'),
    atomicMemoryUnlocked: atomic.atomicMemoryUnlocked.map(pending),
    atomicMemoryLocked: atomic.atomicMemoryLocked.map(pending),
  }
}

type Total = { group: BalanceGroup; amount: bigint; utxoCount: number }

function totals(groups: readonly BalanceGroup[], keyOf: (group: BalanceGroup) => string): Total[] {
  const byKey = new Map<string, Total>()
  for (const group of groups) {
    const key = keyOf(group)
    const total = byKey.get(key)
    byKey.set(key, {
      group,
      amount: (total?.amount ?? 0n) + group.amount,
      utxoCount: (total?.utxoCount ?? 0) + group.utxoCount,
    })
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, total]) => (total.amount > 0n ? [total] : []))
}

const aggregate = (groups: readonly BalanceGroup[], chain: PrimaryChain) =>
  totals(groups, (group) => group.asset.id).map(({ group, amount, utxoCount }) => ({
    ...presentAsset(group.asset, chain),
    amount: amount.toString(),
    utxoCount,
  }))

const aggregateShared = (groups: readonly BalanceGroup[], chain: PrimaryChain) =>
  totals(groups, (group) => `${group.asset.id}/${group.otherChain}`).map(({ group, amount, utxoCount }) => ({
    ...presentAsset(group.asset, chain),
    amount: amount.toString(),
    utxoCount,
    sharedWithChainId: chain.identity.blockchainIds[group.otherChain],
  }))
