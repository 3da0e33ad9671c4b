import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIXTURES } from '../recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from './index.ts'
import { type Conversation, readConversations } from './recorded/conversations.ts'
import { compareReplies, createTimeMachine, dateOf, sendRecorded } from './recorded/recorded-comparison.ts'
import { openRecordings } from './recorded/recordings.ts'

const recordings = openRecordings(FIXTURES)

/** What nothing in the data determines: executing contracts, other tracers, the moment's peers. */
const UNDETERMINED = [
  /^c\/(eth_getStorageAt|eth_getProof|eth_call|eth_callDetailed|eth_estimateGas|eth_createAccessList)\//,
  /^c\/(eth_sendTransaction|eth_sign|eth_signTransaction|eth_fillTransaction|warp_getMessage)\//,
  /^c\/debug_(traceCall|getRawHeader|getRawBlock|getRawReceipts)\//,
  /^c\/debug_traceTransaction\/(?!call-tracer-(?!with-log|caught-logs))/,
  /^c\/batch\/mixed-errors$/,
  /^info\/peers\//,
  /^platform\/getValidatorFeeConfig\//,
  /^platform\/getTx\/chain-c-json$/,
  /^platform\/getAllValidatorsAt\/height-(latest|proposed)$/,
  /^platform\/getCurrentValidators\/two-nodes$/,
  /^l1\/(eth_maxPriorityFeePerGas|eth_call|info|validators\.getCurrentValidators)\//,
]

/** What an HTTP client library cannot send, or Node's server does not let through. */
const RAW_HTTP = [
  /^http\/(unknown-method|content-length|chunked|http-1\.0|header-2MB|not-http|no-host)/,
  /^http\/ws\/upgrade/,
  /^c\/shape\/invalid-utf8$/,
]

async function verdict(node: ReplayNode, one: Conversation): Promise<string> {
  const heightsAt = timeMachine()
  const date = dateOf(one)
  // A Date has whole seconds and a block may fall inside of one: each side of it is as good.
  const moments = Number.isNaN(date) ? [Number.POSITIVE_INFINITY] : [date + 999, date, date + 2000, date - 1000]
  let last = ''
  for (const moment of moments) {
    node.moveTo(heightsAt(moment))
    last = compareReplies(one, await sendRecorded(node, one))
    if (last === 'identical' || last === 'equal') break
  }
  return last
}

let machine: ReturnType<typeof createTimeMachine> | undefined
function timeMachine(): ReturnType<typeof createTimeMachine> {
  machine ??= createTimeMachine(recordings)
  return machine
}

describe('answers computed from the data alone', () => {
  let node: ReplayNode
  beforeAll(async () => {
    node = await startReplayNode({ facts: false })
  })
  afterAll(() => node.stop())

  it('equal what the recorded node said at that moment', async () => {
    const excused = [...UNDETERMINED, ...RAW_HTTP]
    const asked = [...readConversations(recordings, 'network-moment'), ...readConversations(recordings, 'l1')]
      .filter((one) => one.request.port === undefined && !one.request.path.startsWith('/ext/admin'))
      .filter((one) => !excused.some((pattern) => pattern.test(one.name)))
    expect(asked.length).toBeGreaterThan(900)
    const wrong: string[] = []
    for (const one of asked) {
      const found = await verdict(node, one)
      if (found !== 'identical' && found !== 'equal') wrong.push(`${one.name}: ${found}`)
    }
    expect(wrong).toEqual([])
  })
})

interface AddressLine {
  address: string
  P: { utxos: string[]; atomicX: string[]; atomicC: string[]; balance: unknown; stake: unknown }
  X: { utxos: string[]; atomicP: string[]; atomicC: string[]; balances: { balances: { asset: string }[] } }
  C: { atomicP: string[]; atomicX: string[] }
}

describe('the state at the end of the recording', () => {
  let node: ReplayNode
  beforeAll(async () => {
    node = await startReplayNode({ facts: false })
  })
  afterAll(() => node.stop())

  async function call<T>(path: string, method: string, params: unknown): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(node.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result } = (await response.json()) as { result: T }
    return result
  }

  async function allUtxos(path: string, method: string, address: string, sourceChain = ''): Promise<string[]> {
    const utxos: string[] = []
    let startIndex: unknown
    for (;;) {
      const params = { addresses: [address], sourceChain, startIndex, encoding: 'hex' }
      const page = await call<{ utxos: string[]; endIndex: unknown }>(path, method, params)
      utxos.push(...page.utxos)
      if (page.utxos.length < 1024) return utxos
      startIndex = page.endIndex
    }
  }

  it('has every recorded address with its UTXOs, balances and stake, in the node’s order', async () => {
    let pages = 0
    for (const text of recordings.lines('network/address-state.ndjson.gz')) {
      const { address, P, X, C } = JSON.parse(text) as AddressLine
      const platform = (source?: string) => allUtxos('/ext/bc/P', 'platform.getUTXOs', `P-${address}`, source)
      const avm = (source?: string) => allUtxos('/ext/bc/X', 'avm.getUTXOs', `X-${address}`, source)
      const avax = (source: string) => allUtxos('/ext/bc/C/avax', 'avax.getUTXOs', `C-${address}`, source)
      expect(await platform()).toEqual(P.utxos)
      expect([await platform('X'), await platform('C')]).toEqual([P.atomicX, P.atomicC])
      expect(await avm()).toEqual(X.utxos)
      expect([await avm('P'), await avm('C')]).toEqual([X.atomicP, X.atomicC])
      expect([await avax('P'), await avax('X')]).toEqual([C.atomicP, C.atomicX])
      expect(await call('/ext/bc/P', 'platform.getBalance', { addresses: [`P-${address}`] })).toEqual(P.balance)
      expect(await call('/ext/bc/P', 'platform.getStake', { addresses: [`P-${address}`] })).toEqual(P.stake)
      const sorted = (list: { asset: string }[]) => [...list].sort((a, b) => (a.asset < b.asset ? -1 : 1))
      const all = await call<typeof X.balances>('/ext/bc/X', 'avm.getAllBalances', { address: `X-${address}` })
      expect(sorted(all.balances)).toEqual(sorted(X.balances.balances))
      if (P.utxos.length > 1024) pages++
    }
    expect(pages).toBeGreaterThan(0)
  })

  it('has native balances and code that the node confirmed', async () => {
    interface Line {
      t: string
      what?: string
      address: string
      balance: string
      block: number
      codeBytes: number
    }
    let checked = 0
    for (const text of recordings.lines('network/manifest-evm.ndjson.gz')) {
      const line = JSON.parse(text) as Line
      if (line.t === 'final' && line.what === 'native') {
        const at = `0x${line.block.toString(16)}`
        const wei = await call<string>('/ext/bc/C/rpc', 'eth_getBalance', [line.address, at])
        expect([line.address, BigInt(wei)]).toEqual([line.address, BigInt(line.balance)])
        checked++
      } else if (line.t === 'contract') {
        const code = await call<string>('/ext/bc/C/rpc', 'eth_getCode', [line.address, 'latest'])
        expect(code.length).toBe(2 + 2 * line.codeBytes)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(100)
  })
})

describe('the state in the past', () => {
  interface Sample {
    chain: 'P' | 'X' | 'C'
    at: string
    heights: Record<'P' | 'X' | 'C', string>
    rows: Record<string, { balance?: { utxoIDs: { txID: string }[] | null }; stake?: unknown; wei?: string }>
  }

  it('equals samples taken while the recorded network ran', async () => {
    const { keys } = recordings.json<{ keys: Record<string, { address: string; evmAddress: string }> }>(
      'network/network.json',
    )
    let now = 0
    const node = await startReplayNode({ facts: false, clock: () => now })
    const call = async (path: string, method: string, params: unknown): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(node.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return ((await response.json()) as { result: unknown }).result
    }
    const unordered = (balance: Sample['rows'][string]['balance']) => ({
      ...balance,
      utxoIDs: [...(balance?.utxoIDs ?? [])].map((id) => JSON.stringify(id)).sort(),
    })
    try {
      const samples = recordings.lines('network/balance-samples.ndjson.gz')
      for (let index = 0; index < samples.length; index += 31) {
        const sample = JSON.parse(samples.text(index)) as Sample
        now = Math.floor(Date.parse(sample.at) / 1000)
        node.moveTo({ P: Number(sample.heights.P), X: Number(sample.heights.X), C: Number(sample.heights.C) })
        for (const [key, row] of Object.entries(sample.rows)) {
          const owner = keys[key]
          if (owner === undefined) throw new Error(`no key ${key}`)
          const addresses = [`P-${owner.address}`]
          if (sample.chain === 'P') {
            const balance = (await call('/ext/bc/P', 'platform.getBalance', { addresses })) as typeof row.balance
            expect(unordered(balance)).toEqual(unordered(row.balance))
            expect(await call('/ext/bc/P', 'platform.getStake', { addresses })).toEqual(row.stake)
          } else if (sample.chain === 'C') {
            expect(await call('/ext/bc/C/rpc', 'eth_getBalance', [owner.evmAddress, 'latest'])).toBe(row.wei)
          }
        }
      }
    } finally {
      await node.stop()
    }
  })
})
