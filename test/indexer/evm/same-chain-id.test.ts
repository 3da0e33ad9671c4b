import { expect, it, onTestFinished } from 'vitest'
import type { EvmBlockRow } from '../../../src/store/index.ts'
import { startAnvil } from '../../support/evm/anvil.ts'
import { startEvmStage } from './evm-stage.ts'

/** A block of another chain, whose hash is told by its height. */
const foreign = (height: bigint): EvmBlockRow => ({
  height,
  hash: height.toString(16).padStart(64, 'f'),
  parentHash: height.toString(16).padStart(64, 'e'),
  time: 1_700_000_000n + height,
  txCount: 0,
  failedCount: 0,
  baseFee: 0n,
  gasUsed: 0n,
  gasLimit: 0n,
  gasCost: 0n,
  feesSpent: 0n,
  cumulativeTransactions: 0n,
})

it('finds a fork by the blocks of its own stream, where another network has a C-chain of the same id', async () => {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const [, second = ''] = chain.accounts
  const head = () => chain.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])
  for (let block = 0; block < 2; block++) await chain.send({ to: second, value: 1n })
  const fork = await chain.rpc('evm_snapshot')
  for (let block = 0; block < 2; block++) await chain.send({ to: second, value: 2n })
  const { store, sql, at } = await startEvmStage(chain.url, chain.chainId)
  await at(await head())

  const heights = Array.from({ length: 9 }, (_, height) => BigInt(height))
  const blocks = heights.map(foreign)
  const name = 'testnet:C'
  const definition = { name, kind: 'primary', network: 'testnet', testnet: true, chain: 'C' } as const
  await store.writer.register({ ...definition, evmChainId: BigInt(chain.chainId) })
  const { hash: blockId, time } = foreign(8n)
  await store.writer.commitRange(name, { evm: { blocks } }, { from: 0n, parentId: '', height: 8n, blockId, time })
  // Of two that are followed, each was confirmed last half of the time.
  await sql(`update stream set current_at_ms = ${2n ** 52n} where name = '${name}'`)

  await chain.rpc('evm_revert', [fork])
  await chain.rpc('evm_increaseTime', [60])
  for (let block = 0; block < 4; block++) await chain.send({ to: second, value: 3n })
  await at(await head())
  const own = await sql(`select count(*)::int4 as blocks from evm_block b join stream s on s.id = b.stream
    where s.name <> '${name}'`)
  expect(own).toEqual([{ blocks: 7 }])
})
