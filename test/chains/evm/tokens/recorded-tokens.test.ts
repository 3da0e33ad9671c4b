import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createEvmBalanceSource,
  createEvmReader,
  createTokenMetadataReader,
  evmLimits,
} from '../../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../../src/errors.ts'
import type { Anvil } from '../../../support/evm/anvil.ts'
import { type RecordedEvmBlock, startRecordedEvm } from '../../../support/evm/recorded-evm.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import { createRpcPool, type RpcPool } from '../../../support/upstream/rpc-pool.ts'

/** Lines of manifest-evm: contracts, and the end state that the recorded node confirmed. */
interface Line {
  t: string
  what?: string
  id: string
  kind: string
  address: string
  token: string
  holder: string
  balance: string
}

const caip2Id = 'eip155:43113'
const manifest = recordedLines<Line>('manifest-evm')
const finals = manifest.filter(({ t, what }) => t === 'final' && what === 'erc20')
const natives = manifest.filter(({ t, what }) => t === 'final' && what === 'native')
const contracts = manifest.filter(({ t }) => t === 'contract')
const addressOf = (id: string): string => contracts.find((line) => line.id === id)?.address.toLowerCase() ?? ''
let anvil: Anvil
let pool: RpcPool

beforeAll(async () => {
  anvil = await startRecordedEvm(43_113, recordedLines<RecordedEvmBlock>('c-blocks'))
  for (const { address, balance } of natives) {
    await anvil.rpc('anvil_setBalance', [address, `0x${BigInt(balance).toString(16)}`])
  }
  await anvil.rpc('evm_mine')
  pool = createRpcPool(anvil.url, ({ method }) => {
    if (method.startsWith('alchemy')) throw new JsonRpcError('method not found', -32601)
    return undefined
  })
})
afterAll(async () => {
  await pool.close()
  await anvil.stop()
})

it('gives every recorded end state of every token, and native balances, to the last unit', async () => {
  const list = contracts.map(({ address }) => ({ address, name: 'listed', symbol: 'L', decimals: 0 }))
  const source = createEvmBalanceSource({
    caip2Id,
    native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' },
    pool,
    tokens: { tokens: () => list },
  })
  const holders = [...new Set([...finals.map(({ holder }) => holder), ...natives.map(({ address }) => address)])]
  const context = { signal: new AbortController().signal, deadline: Date.now() + 30_000 }
  const outcomes = await source.readBalances(
    holders.map((id) => ({ id })),
    context,
  )
  const read = new Map<string, bigint>()
  for (const [holder, outcome] of outcomes) {
    if (!outcome.ok) throw outcome.error
    read.set(`native ${holder}`, outcome.value.native)
    for (const { address, balance } of outcome.value.tokens) read.set(`${address} ${holder}`, balance)
  }
  const unreadable = new Set([addressOf('loop'), addressOf('revert')])
  expect(natives.map(({ address }) => read.get(`native ${address}`))).toEqual(
    natives.map(({ balance }) => BigInt(balance)),
  )
  let compared = 0
  for (const { token, holder, balance } of finals) {
    const address = token.toLowerCase()
    const expected = unreadable.has(address) || balance === '0' ? undefined : BigInt(balance)
    expect([token, holder, read.get(`${address} ${holder}`)]).toEqual([token, holder, expected])
    if (expected !== undefined) compared++
  }
  expect(compared).toBeGreaterThan(490)
})

it('reads names, symbols and decimals of every recorded token, capped and cleaned', async () => {
  const metadata = createTokenMetadataReader(createEvmReader({ caip2Id, pool }), evmLimits)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 30_000 }
  const ids = ['usdl', 'uni', 'mkr', 'nodec', 'loop', 'huge', 'broken', 'spam', 'proxy', 'zero', 'noCode']
  const { told: answers } = await metadata.read(ids.map(addressOf), context, 0n)
  const told = Object.fromEntries(ids.map((id) => [id, answers.get(addressOf(id))]))
  expect(told).toMatchObject({
    usdl: { name: 'Lab Dollar', symbol: 'USDL', decimals: 6 },
    mkr: { name: 'Maker Lookalike', symbol: 'MKRL', decimals: 18 },
    huge: { name: 'N'.repeat(100), symbol: 'S'.repeat(32), decimals: 255 },
    proxy: { name: 'Upgradeable v2', symbol: 'UP2', decimals: 6 },
    zero: { decimals: 0 },
    spam: { decimals: 18 },
  })
  expect(told['nodec']).toEqual({})
  expect(told['noCode']).toEqual({})
  expect(told['loop']).toEqual({ symbol: 'LOOP' })
  expect(told['broken']).toEqual({ name: 'abb' })
  expect(told['uni']?.name).not.toMatch(/[<>\p{Cc}\p{Cf}]/u)
  const before = pool.calls.length
  await metadata.read(ids.map(addressOf), context, 0n)
  expect(pool.calls.length).toBe(before)
})
