import { expect, it, onTestFinished } from 'vitest'
import { encodeCb58 } from '../../../../../src/lib/bytes/cb58.ts'
import { startAnvil } from '../../../../support/evm/anvil.ts'
import { createStage } from '../../../../support/server/stage.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { heights, openClient } from './ws-client.ts'

const L1 = encodeCb58(Buffer.alloc(32, 4))
const CHAIN_ID = 99_373

it('subscriptions are not carried over to a server of another chain, and a later client hears nothing of it either', async () => {
  const stage = createStage()
  const [own, other] = await Promise.all([CHAIN_ID, 5].map((chainId) => startAnvil({ chainId })))
  if (!own || !other) throw new Error('no chains')
  onTestFinished(async () => {
    await stage.clear()
    await Promise.all([own.stop(), other.stop()])
  })
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  const upstreams = [own, other].map(({ url }) => ({ url }))
  const entry = { name: 'L1', upstreams, native, blockTimeMs: 1_000, blockchainId: L1 }
  const node = { name: 'Own', upstreams: [{ url: await stage.deadUrl() }] }
  const { url } = await stage.serve({ chains: { avalanche: { testnet: node }, evm: { [CHAIN_ID]: entry } } })
  const socket = `${url.replace('http', 'ws')}/ext/bc/${L1}/ws`
  const client = await openClient(socket)
  const { result: id } = await client.ask('eth_subscribe', ['newHeads'])
  await own.rpc('evm_mine')
  await eventually(() => expect(heights(client.pushed(id))).toEqual([1]))

  await own.stop()
  const mining = setInterval(() => void other.rpc('evm_mine'), 50)
  onTestFinished(() => clearInterval(mining))
  const late = await openClient(socket)
  expect((await late.ask('eth_subscribe', ['newHeads'])).error?.message).toBe('no node answered')
  expect(heights(client.pushed(id))).toEqual([1])
})
