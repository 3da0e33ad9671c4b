import { type Static, Type } from '@sinclair/typebox'
import { getAddress } from 'viem/utils'
import { BadInputError } from '../../../errors.ts'
import type { ContractInfo, IndexReader, ListedEvmBlock, ListedEvmTransaction } from '../../../store/index.ts'
import { queryMark, readPageToken, writePageToken } from '../page-token.ts'
import type { DataRoute } from '../route.ts'
import { answers, closed, NetworkSchema, NextPageTokenSchema, oneOf, pagingQuery } from '../schemas.ts'
import { type EvmFreshnessDeps, requireFreshList } from './freshness.ts'

const optional = Type.Optional
const text = Type.String()

const EvmBlockSchema = closed('EvmBlock', {
  chainId: text,
  blockNumber: text,
  blockTimestamp: Type.Number({ description: 'Unix seconds.' }),
  blockTimestampMilliseconds: optional(Type.Number()),
  blockMinDelayExcess: optional(Type.Number()),
  blockHash: text,
  parentHash: text,
  txCount: Type.Number(),
  baseFee: text,
  gasUsed: text,
  gasLimit: text,
  gasCost: text,
  feesSpent: text,
  cumulativeTransactions: text,
})
const RichAddress = closed('RichAddress', {
  address: text,
  name: optional(text),
  symbol: optional(text),
  decimals: optional(Type.Number()),
  logoUri: optional(text),
})
const NativeTransactionSchema = closed('NativeTransaction', {
  blockNumber: text,
  blockTimestamp: Type.Number({ description: 'Unix seconds.' }),
  blockTimestampMilliseconds: optional(Type.Number()),
  blockMinDelayExcess: optional(Type.Number()),
  blockHash: text,
  chainId: text,
  blockIndex: Type.Number(),
  txHash: text,
  txStatus: oneOf(['0', '1']),
  txType: Type.Number(),
  gasLimit: text,
  gasUsed: text,
  gasPrice: text,
  nonce: text,
  from: RichAddress,
  to: RichAddress,
  method: optional(
    closed('Method', {
      callType: oneOf(['NATIVE_TRANSFER', 'CONTRACT_CALL', 'CONTRACT_CREATION'], { title: 'TransactionMethodType' }),
      methodHash: text,
      methodName: optional(text),
    }),
  ),
  value: text,
})

const LatestQuery = Type.Object({ ...pagingQuery(), network: Type.Optional(NetworkSchema) })
const TransactionsQuery = Type.Composite([
  LatestQuery,
  Type.Object({ status: Type.Optional(oneOf(['failed', 'success'], { title: 'TransactionStatus' })) }),
])

/** Latest blocks and transactions over all indexed EVM chains, newest first. */
export function evmLatestRoutes(deps: EvmFreshnessDeps & { index: IndexReader }): DataRoute[] {
  return [
    {
      method: 'GET',
      url: '/v1/blocks',
      aliases: ['/v1/chains/allBlocks'],
      operationId: 'listLatestBlocksAllChains',
      tag: 'EVM Blocks',
      summary: 'List latest blocks across all supported EVM chains',
      weight: 'medium',
      query: LatestQuery,
      response: answers(
        200,
        'Blocks, newest first.',
        closed('ListEvmBlocksResponse', { blocks: Type.Array(EvmBlockSchema), nextPageToken: NextPageTokenSchema }),
      ),
      async handle(request, reply) {
        const { network, pageSize, pageToken } = request.query as Static<typeof LatestQuery>
        const mark = queryMark(['blocks', sideOf(network)])
        const [time, stream, height] = numbers(readPageToken(mark, pageToken), 3)
        const streams = await requireFreshList(deps, isTestnet(network), reply)
        const page = await deps.index.evm.latestBlocks({
          streams,
          ...(time === undefined ? {} : { after: { time, stream: Number(stream), height: height ?? 0n } }),
          limit: pageSize,
        })
        return {
          blocks: page.blocks.map(presentBlock),
          ...(page.next
            ? { nextPageToken: writePageToken(mark, [page.next.time, page.next.stream, page.next.height].map(String)) }
            : {}),
        }
      },
    },
    {
      method: 'GET',
      url: '/v1/transactions',
      aliases: ['/v1/chains/allTransactions'],
      operationId: 'listLatestTransactionsAllChains',
      tag: 'EVM Transactions',
      summary: 'List the latest transactions across all supported EVM chains',
      weight: 'medium',
      query: TransactionsQuery,
      response: answers(
        200,
        'Transactions, newest first.',
        closed('ListNativeTransactionsResponse', {
          transactions: Type.Array(NativeTransactionSchema),
          nextPageToken: NextPageTokenSchema,
        }),
      ),
      async handle(request, reply) {
        const { network, status, pageSize, pageToken } = request.query as Static<typeof TransactionsQuery>
        const mark = queryMark(['transactions', sideOf(network), status])
        const [time, stream, height, index] = numbers(readPageToken(mark, pageToken), 4)
        const streams = await requireFreshList(deps, isTestnet(network), reply)
        const page = await deps.index.evm.latestTransactions({
          streams,
          ...(status === undefined ? {} : { success: status === 'success' }),
          ...(time === undefined
            ? {}
            : { after: { time, stream: Number(stream), height: height ?? 0n, index: Number(index) } }),
          limit: pageSize,
        })
        const contracts = await knownContracts(deps.index, page.transactions)
        const { next } = page
        return {
          transactions: page.transactions.map((transaction) => presentTransaction(transaction, contracts)),
          ...(next
            ? { nextPageToken: writePageToken(mark, [next.time, next.stream, next.height, next.index].map(String)) }
            : {}),
        }
      },
    },
  ]
}

const sideOf = (network: string | undefined) =>
  network === undefined ? 'all' : network === 'mainnet' ? 'mainnet' : 'testnet'
/** Undefined: both kinds of networks. */
const isTestnet = (network: string | undefined): boolean | undefined =>
  network === undefined ? undefined : network !== 'mainnet'

function numbers(key: readonly string[] | undefined, count: number): bigint[] {
  if (!key) return []
  // Time, stream, height, position in the block: no longer than what the database stores of each.
  const digits = [18, 4, 18, 9]
  if (key.length !== count || !key.every((part, at) => /^\d+$/.test(part) && part.length <= (digits[at] ?? 0))) {
    throw new BadInputError('pageToken is not a token of this API')
  }
  return key.map(BigInt)
}

type Contracts = ReadonlyMap<string, ContractInfo>

async function knownContracts(index: IndexReader, transactions: readonly ListedEvmTransaction[]): Promise<Contracts> {
  const byChain = new Map<bigint, Set<string>>()
  for (const { chainId, from, to, createdContract } of transactions) {
    const addresses = byChain.get(chainId) ?? new Set()
    for (const address of [from, to, createdContract]) if (address !== undefined) addresses.add(address)
    byChain.set(chainId, addresses)
  }
  const found = await Promise.all(
    [...byChain].map(async ([chainId, addresses]) =>
      (await index.evm.contracts(chainId, [...addresses])).map((info) => [`${chainId}/${info.address}`, info] as const),
    ),
  )
  return new Map(found.flat())
}

/** Chains without a millisecond clock have neither member. */
const granite = ({ timeMs, minDelayExcess }: { timeMs?: bigint; minDelayExcess?: bigint }) => ({
  ...(timeMs === undefined ? {} : { blockTimestampMilliseconds: Number(timeMs) }),
  ...(minDelayExcess === undefined ? {} : { blockMinDelayExcess: Number(minDelayExcess) }),
})

const presentBlock = (block: ListedEvmBlock): Static<typeof EvmBlockSchema> => ({
  chainId: block.chainId.toString(),
  blockNumber: block.height.toString(),
  blockTimestamp: Number(block.time),
  ...granite(block),
  blockHash: `0x${block.hash}`,
  parentHash: `0x${block.parentHash}`,
  txCount: block.txCount,
  baseFee: block.baseFee.toString(),
  gasUsed: block.gasUsed.toString(),
  gasLimit: block.gasLimit.toString(),
  gasCost: block.gasCost.toString(),
  feesSpent: block.feesSpent.toString(),
  cumulativeTransactions: block.cumulativeTransactions.toString(),
})

const ZERO = '0'.repeat(40)

function presentTransaction(
  transaction: ListedEvmTransaction,
  contracts: Contracts,
): Static<typeof NativeTransactionSchema> {
  const rich = (address: string): Static<typeof RichAddress> => {
    const info = contracts.get(`${transaction.chainId}/${address}`)
    return {
      address: getAddress(`0x${address}`),
      ...(info?.name ? { name: info.name } : {}),
      ...(info?.symbol ? { symbol: info.symbol } : {}),
      ...(info?.decimals === undefined ? {} : { decimals: info.decimals }),
    }
  }
  return {
    blockNumber: transaction.height.toString(),
    blockTimestamp: Number(transaction.block.time),
    ...granite(transaction.block),
    blockHash: `0x${transaction.block.hash}`,
    chainId: transaction.chainId.toString(),
    blockIndex: transaction.index,
    txHash: `0x${transaction.hash}`,
    txStatus: transaction.success ? '1' : '0',
    txType: transaction.type,
    gasLimit: transaction.gasLimit.toString(),
    gasUsed: transaction.gasUsed.toString(),
    gasPrice: transaction.gasPrice.toString(),
    nonce: transaction.nonce.toString(),
    from: rich(transaction.from),
    // SDKs throw without a receiver: for a creation it is the created contract.
    to: rich(transaction.to ?? transaction.createdContract ?? ZERO),
    method: methodOf(transaction),
    value: transaction.value.toString(),
  }
}

function methodOf({
  to,
  selector,
}: ListedEvmTransaction): NonNullable<Static<typeof NativeTransactionSchema>['method']> {
  if (to === undefined) return { callType: 'CONTRACT_CREATION', methodHash: '', methodName: 'Contract Created' }
  if (selector === '') return { callType: 'NATIVE_TRANSFER', methodHash: '', methodName: 'Native Transfer' }
  const methodName = METHODS[selector]
  return { callType: 'CONTRACT_CALL', methodHash: `0x${selector}`, ...(methodName === undefined ? {} : { methodName }) }
}

/** Signatures of the token standards by selector. */
const METHODS: Readonly<Record<string, string>> = {
  a9059cbb: 'transfer(address,uint256)',
  '23b872dd': 'transferFrom(address,address,uint256)',
  '095ea7b3': 'approve(address,uint256)',
  '42842e0e': 'safeTransferFrom(address,address,uint256)',
  b88d4fde: 'safeTransferFrom(address,address,uint256,bytes)',
  f242432a: 'safeTransferFrom(address,address,uint256,uint256,bytes)',
  '2eb2c2d6': 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
  a22cb465: 'setApprovalForAll(address,bool)',
  d0e30db0: 'deposit()',
  '2e1a7d4d': 'withdraw(uint256)',
}
