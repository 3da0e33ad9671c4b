import { type Static, Type } from '@sinclair/typebox'
import { firstXBlock, isBeforeXBlocks, isOfUnknownEnd } from '../../../facts/first-x-blocks.ts'
import type { Older } from '../../../services/node-outputs/index.ts'
import type { BalanceGroup, BalanceQuery, UtxoCursor, UtxoRecord } from '../../../store/index.ts'
import { callerOf } from '../../plugins/caller.ts'
import type { DataRoute } from '../route.ts'
import { answers, ChainInfoSchema, closed, unixSeconds } from '../schemas.ts'
import { AddressesQuerySchema, queriedAddresses } from './addresses.ts'
import { assetMembers, presentAsset, withAssets } from './assets.ts'
import {
  type PrimaryChain,
  type PrimaryDeps,
  type PrimaryParams,
  PrimaryParamsSchema,
  requireFresh,
  resolveChain,
} from './chain.ts'
import { type Asked, besideNodes, groupOf, without } from './node-outputs.ts'
import { requireWholeHistory } from './whole-history.ts'

/** Entries per read when outputs that X had before its blocks have to be told apart. */
const GONE_PAGE = 1_024

const Aggregated = closed('AggregatedAssetAmount', { ...assetMembers, utxoCount: Type.Number() })
const shared = { ...assetMembers, utxoCount: Type.Number(), sharedWithChainId: Type.String() }
const PShared = closed('PChainSharedAsset', { ...shared, status: Type.String() })
const XShared = closed('XChainSharedAssetBalance', shared)
const CShared = closed('CChainSharedAssetBalance', shared)
const list = Type.Array

/** All eight are required: if one is missing, SDKs take the answer for a C-chain answer, without an error. */
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
  atomicMemoryUnlocked: list(XShared),
  atomicMemoryLocked: list(XShared),
})
const CChainAtomicBalancesSchema = closed('CChainAtomicBalances', {
  atomicMemoryUnlocked: list(CShared),
  atomicMemoryLocked: list(CShared),
})
const answer = <T extends typeof PChainBalanceSchema | typeof XChainBalancesSchema | typeof CChainAtomicBalancesSchema>(
  title: string,
  balances: T,
) => closed(title, { balances, chainInfo: ChainInfoSchema })

const BalancesQuery = Type.Object({
  addresses: AddressesQuerySchema,
  blockTimestamp: Type.Optional(unixSeconds('Unix seconds: the balance as it was then.')),
})

/**
 * Balances now, or at a past time. `edge` says what counts at exactly that time: `strict` leaves out what was created
 * in that second (as the hosted service does), `inclusive` includes it (as a node at that chain time does).
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
        'On P and X everything that the addresses own together; on C only the shared memory towards C. Shared memory is listed under the chain that can import it.',
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
        const addresses = queriedAddresses(request)
        const chain = await resolveChain(deps, request.params as PrimaryParams)
        const at = query.blockTimestamp === undefined ? undefined : BigInt(query.blockTimestamp)
        if (at !== undefined) requireWholeHistory(chain, 'balances of the past')
        const { isCTold } = await requireFresh(deps, chain, reply, at === undefined ? 'present' : 'network')
        const now = BigInt(Math.floor(deps.now() / 1000))
        const groups = await groupsOf(
          deps,
          { chain, addresses, isCTold },
          {
            chain: chain.name,
            addresses,
            locksAt: at ?? now,
            caller: callerOf(request, reply),
            ...(at === undefined ? {} : { at, edge: deps.edge }),
          },
        )
        const shown = await withAssets(deps, chain, counted(groups))
        return { balances: categories(shown, chain), chainInfo: chain.chainInfo }
      },
    },
  ]
}

/** The nodes are read first, as for lists; about a time before X had blocks they know nothing. */
async function groupsOf(deps: PrimaryDeps, asked: Asked, query: BalanceQuery): Promise<BalanceGroup[]> {
  const { chain, isCTold } = asked
  const { at, edge } = query
  const since = firstXBlock(chain.identity.blockchainIds.X)
  const isOld = since !== undefined && (at === undefined || since < at || (since === at && edge === 'inclusive'))
  if (!isOld && !isCTold) return deps.index.balances.groups(query)
  return besideNodes(deps, asked, async ({ older, outputs }) => {
    const groups = await deps.index.balances.groups(query)
    const gone = chain.letter === 'X' && since !== undefined ? await goneFromX(deps, query, since, older) : []
    const indexed = [...groups, ...gone.map((utxo) => without(groupOf(utxo, chain.letter, query)))]
    return [
      ...(isCTold ? indexed.filter((group) => !isFromC(group)) : indexed),
      ...outputs.map((utxo) => groupOf(utxo, chain.letter, query)),
    ]
  })
}

const isFromC = ({ direction, otherChain }: BalanceGroup): boolean => direction === 'importable' && otherChain === 'C'

/** Outputs that X had before it had blocks and that were spent then: the index still holds them as unspent. */
async function goneFromX(
  { index }: PrimaryDeps,
  { chain, addresses, caller }: BalanceQuery,
  since: bigint,
  { still }: Older,
): Promise<UtxoRecord[]> {
  const gone: UtxoRecord[] = []
  let after: UtxoCursor | undefined
  do {
    const page = await index.utxos.list({
      chain,
      addresses,
      includeSpent: false,
      sortBy: 'timestamp',
      order: 'asc',
      limit: GONE_PAGE,
      ...(caller === undefined ? {} : { caller }),
      ...(after === undefined ? {} : { after }),
    })
    gone.push(...page.utxos.filter((utxo) => isOfUnknownEnd(since, utxo) && !still.has(utxo.id)))
    // Sorted by ascending time: whatever follows was created later.
    const last = page.utxos.at(-1)
    after = last && isBeforeXBlocks(since, last.created.time) ? page.next : undefined
  } while (after !== undefined)
  return gone
}

/**
 * What is shown: minting rights and NFTs are not amounts, exported outputs belong to the chain that can import them,
 * and of some assets nothing is left. No node needs to describe these.
 */
function counted(groups: readonly BalanceGroup[]): BalanceGroup[] {
  const amounts = groups.filter((group) => group.kind === 'transfer' && group.direction !== 'exported')
  const left = new Set(totals(amounts, (group) => group.asset.id).map(({ group }) => group.asset.id))
  return amounts.filter((group) => left.has(group.asset.id))
}

/** @param groups those that are counted */
function categories(groups: readonly BalanceGroup[], chain: PrimaryChain) {
  const native = groups.filter((group) => group.direction === 'native')
  const importable = groups.filter((group) => group.direction === 'importable')
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
