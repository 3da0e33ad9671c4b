import { address as codec } from 'bitcoinjs-lib'
import pino from 'pino'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createChains } from '../../../src/chains/index.ts'
import { readContext } from '../../support/balances/balance-reads.ts'
import { type FaultServer, startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { electrumLine, type FakeElectrum, startFakeElectrum } from './electrum/fake-server.ts'

const REFERENCE = '000000000019d6689c085ae165831e93'
const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const none = { funded_txo_sum: 0, spent_txo_sum: 0 }

let esplora: FaultServer
let electrum: FakeElectrum
let toEsplora: number
let read: (count: number) => Promise<{ right: number; esplora: number; electrum: number }>

const toElectrum = () => electrum.seen.filter(({ method }) => method.includes('get_balance')).length

/** An Esplora that may be sent fifty requests a second, preferred to an Electrum server. */
beforeEach(async () => {
  toEsplora = 0
  esplora = await startFaultServer({
    handle: ({ url = '' }) => {
      if (url === '/block-height/0') return { body: GENESIS }
      if (url === '/blocks/tip/height') return { body: '100' }
      toEsplora += 1
      const address = url.slice('/address/'.length)
      return { body: JSON.stringify({ address, chain_stats: { ...none, funded_txo_sum: 7 }, mempool_stats: none }) }
    },
  })
  electrum = await startFakeElectrum()
  electrum.fault = ({ id, method }) =>
    method === 'blockchain.headers.subscribe' ? electrumLine(id, { height: 100, hex: '00' }) : undefined
  const upstreams = [
    { url: esplora.url, kind: 'esplora', requestsPerSecond: 50 },
    { url: electrum.url, kind: 'electrum', requestsPerSecond: 50 },
  ] as const
  const chains = createChains(
    { evm: {}, bitcoin: { [REFERENCE]: { network: 'mainnet', upstreams } }, solana: {}, avalanche: {} },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  read = async (count) => {
    const accounts = Array.from({ length: count }, (_, at) => ({ id: codec.toBase58Check(Buffer.alloc(20, at), 0) }))
    const before = { esplora: toEsplora, electrum: toElectrum() }
    const found = await chains.byId.get(`bip122:${REFERENCE}`)?.source.readBalances(accounts, readContext())
    const right = [...(found?.values() ?? [])].filter((one) => one.ok).length
    return { right, esplora: toEsplora - before.esplora, electrum: toElectrum() - before.electrum }
  }
  onTestFinished(async () => {
    await chains.close()
    await Promise.all([esplora.close(), electrum.close()])
  })
})

it('more addresses than the first kind of servers may be asked for in a second go to the one that may', async () => {
  // Heights show that it is there.
  await eventually(async () => expect(await read(51)).toEqual({ right: 51, esplora: 0, electrum: 51 }))
  expect(await read(50)).toEqual({ right: 50, esplora: 50, electrum: 0 })
})

it('many addresses go to the first kind of servers as ever while nothing is heard of the other, or where it fails', async () => {
  electrum.fault = ({ method }) => (method === 'blockchain.headers.subscribe' ? '' : undefined)
  for (const _ of [1, 2]) expect(await read(51)).toMatchObject({ right: 51, esplora: 51, electrum: 0 })
})
