import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withHrp } from '../avalanche/with-hrp.ts'
import { FIXTURES } from '../recorded/recordings.ts'
import { createEvmState } from './evm/evm-state.ts'
import type { CallFrame } from './evm/evm-traces.ts'
import { type ReplayNode, startReplayNode } from './index.ts'
import { openRecordings, type Recordings } from './recorded/recordings.ts'

// What no conversation of the recordings asks for, and another recorded network may be asked.
let node: ReplayNode
beforeAll(async () => {
  node = await startReplayNode({ facts: false })
})
afterAll(() => node?.stop())

interface Answer {
  result?: Record<string, unknown> & string
  error?: { code: number; message: string }
}

async function ask(path: string, method: string, params: unknown, of: ReplayNode = node): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(`${of.url}/ext/bc/${path}`, { method: 'POST', body, headers })).json()) as Answer
}

const recorded = openRecordings(FIXTURES)
const lines = <T>(file: string): T[] => [...recorded.lines(file)].map((line) => JSON.parse(line) as T)

it('the epoch that is told is that of the next block', async () => {
  interface Block {
    chain: string
    height: number
    epoch?: { number: number; startTime: number; pChainHeight: number } | null
  }
  const blocks = lines<Block>('network/truth/blocks.ndjson.gz')
  const numbers = new Set<number>()
  for (const { chain, height, epoch } of blocks) {
    if (!epoch || chain === 'X' || height % 5 !== 0) continue
    node.moveTo({ [chain]: height - 1 })
    const { result } = await ask(`${chain}/proposervm`, 'proposervm.getCurrentEpoch', {})
    const text = Object.entries(epoch).map(([name, value]) => [name, String(value)])
    expect(result, `${chain} ${height}`).toEqual(Object.fromEntries(text))
    numbers.add(epoch.number)
  }
  expect(numbers.size).toBeGreaterThan(3)
  node.moveTo(node.last)
})

it('a transaction is given as the bytes that were signed', async () => {
  const blocks = lines<{ block: { transactions: { hash: `0x${string}`; blockNumber: string }[] } }>(
    'network/c-blocks.ndjson.gz',
  )
  const transactions = blocks.flatMap(({ block }) => block.transactions).filter((_, index) => index % 40 === 0)
  for (const { hash, blockNumber } of transactions) {
    const { result = '0x' } = await ask('C/rpc', 'eth_getRawTransactionByHash', [hash])
    expect(keccak256(result as `0x${string}`)).toBe(hash)
    expect(await ask('C/rpc', 'debug_getRawTransaction', [hash])).toMatchObject({ result })
    const { transactions: own = [] } = blocks[Number(blockNumber)]?.block ?? {}
    const index = `0x${own.findIndex((one) => one.hash === hash).toString(16)}`
    expect(await ask('C/rpc', 'eth_getRawTransactionByBlockNumberAndIndex', [blockNumber, index])).toMatchObject({
      result,
    })
  }
  expect(await ask('C/rpc', 'eth_getRawTransactionByHash', [`0x${'11'.repeat(32)}`])).toMatchObject({ result: '0x' })
})

it('errors come in the order in which a node looks', async () => {
  expect(await ask('C/rpc', 'eth_feeHistory', ['0x2', '0xffff', []])).toMatchObject({
    error: { code: -32000, message: `request beyond head block: requested 65535, head ${node.last.C}` },
  })
  const [{ address = '' } = {}] = lines<{ address?: string }>('network/address-state.ndjson.gz')
  const foreign = withHrp(address, 'avax')
  expect(await ask('X', 'avm.getBalance', { address: `P-${foreign}`, assetID: 'AVAX' })).toMatchObject({
    error: { message: expect.stringContaining('expected hrp "fuji" but got "avax"') },
  })
  const to = `0x${'00'.repeat(19)}01`
  expect(await ask('C/rpc', 'eth_call', [{ to, data: '0x123' }, '0xffff'])).toMatchObject({
    error: {
      code: -32602,
      message:
        'invalid argument 0: json: cannot unmarshal hex string of odd length into Go struct field TransactionArgs.data of type hexutil.Bytes',
    },
  })
})

it('names of contracts are told for as little gas as they take', async () => {
  interface Contract {
    t: string
    address: string
    answers?: { name?: string | object }
  }
  const { blockchainID } = recorded.json<{ blockchainID: string }>('l1/l1.json')
  const named = { 'C/rpc': 'network', [`${blockchainID}/rpc`]: 'l1' }
  for (const [path, folder] of Object.entries(named)) {
    let told = 0
    for (const { t, address, answers } of lines<Contract>(`${folder}/manifest-evm.ndjson.gz`)) {
      const name = answers?.name
      if (t !== 'contract' || typeof name !== 'string' || name === '0x') continue
      const call = { to: address, data: '0x06fdde03', gas: '0x7a120' }
      expect(await ask(path, 'eth_call', [call, 'latest'])).toMatchObject({ result: name })
      told += 1
    }
    expect(told).toBeGreaterThan(5)
  }
})

it('the stake of validators is told without that of delegators', async () => {
  interface Row {
    address: string
    P: { stake: { staked: string } }
  }
  const stake = async (address: string, validatorsOnly: boolean): Promise<bigint> => {
    const { result } = await ask('P', 'platform.getStake', { addresses: [`P-${address}`], validatorsOnly })
    return BigInt(String(result?.['staked']))
  }
  const seen = new Set<string>()
  for (const { address, P } of lines<Row>('network/address-state.ndjson.gz')) {
    if (P.stake.staked === '0') continue
    const all = await stake(address, false)
    const validating = await stake(address, true)
    expect(validating).toBeLessThanOrEqual(all)
    seen.add(validating === 0n ? 'delegates' : validating < all ? 'both' : 'validates')
  }
  expect([...seen].sort()).toEqual(['both', 'delegates'])
})

it('without validator sets and a truth about stakers it says that it does not know', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-no-sets-'))
  cpSync(join(FIXTURES, 'network'), join(folder, 'network'), {
    recursive: true,
    filter: (path) => !path.endsWith('truth') && !path.includes('convers'),
  })
  const path = join(folder, 'network/platform-state.json')
  const state = JSON.parse(readFileSync(path, 'utf8'))
  for (const subnet of state.subnets) delete subnet.validatorsAt
  delete state.totalStake
  writeFileSync(path, JSON.stringify(state))
  const bare = await startReplayNode({ recordings: folder })
  try {
    for (const method of ['getTotalStake', 'getValidatorsAt', 'sampleValidators', 'getAllValidatorsAt']) {
      const answer = await ask('P', `platform.${method}`, { height: 'proposed', size: 1 }, bare)
      expect(answer.error?.code, method).toBe(-32000)
    }
    const row = lines<{ address: string; P: { stake: { staked: string } } }>('network/address-state.ndjson.gz')
    const { address = '' } = row.find(({ P }) => P.stake.staked !== '0') ?? {}
    const asked = { addresses: [`P-${address}`], validatorsOnly: true }
    expect((await ask('P', 'platform.getStake', asked, bare)).error?.code).toBe(-32000)
  } finally {
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

it('a node that was recorded without its index is one without', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-no-index-'))
  cpSync(join(FIXTURES, 'network'), join(folder, 'network'), {
    recursive: true,
    filter: (path) => !path.endsWith('truth') && !path.includes('convers'),
  })
  for (const chain of ['p', 'x', 'c']) {
    const file = `network/${chain}-blocks.ndjson.gz`
    const blocks = lines<object>(file).map((block) => JSON.stringify({ ...block, container: null }))
    writeFileSync(join(folder, file), gzipSync(blocks.join('\n')))
  }
  const bare = await startReplayNode({ recordings: folder })
  try {
    const path = '/ext/index/P/block'
    expect((await fetch(`${node.url}${path}`, { method: 'POST' })).status).not.toBe(404)
    expect((await fetch(`${bare.url}${path}`, { method: 'POST' })).status).toBe(404)
  } finally {
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

it('who tried to create a contract has used up a nonce, and a precompile is an account', () => {
  const factory = `0x${'fa'.repeat(20)}`
  const from = `0x${'aa'.repeat(20)}`
  const child = (error?: string): CallFrame => ({ type: 'CREATE', from: factory, ...(error ? { error } : {}) })
  const frame: CallFrame = {
    type: 'CALL',
    from,
    to: factory,
    calls: [{ ...child(), to: `0x${'01'.repeat(20)}` }, child('execution reverted'), child('max call depth exceeded')],
  }
  const genesis = { alloc: { [factory.slice(2)]: { code: '0xfe' } } }
  const block = { number: '0x1', miner: from, timestamp: '0x7', transactions: [{ nonce: '0x0' }] }
  const receipts = [{ from, gasUsed: '0x0', effectiveGasPrice: '0x0', logs: [] }]
  const files: Record<string, unknown> = {
    'network/genesis.json': { cChainGenesis: JSON.stringify(genesis) },
    'network/network.json': { upgrades: { durangoTime: '1970-01-01T00:00:05Z' } },
  }
  const blocks = [JSON.stringify({ block: { ...block, timestamp: '0x0' }, receipts: [] })]
  const recordings = {
    json: (file: string) => files[file],
    lines: () => [...blocks, JSON.stringify({ block, receipts })],
  } as unknown as Recordings
  const traces = { recorded: true, text: () => '', frames: () => [frame] }
  const state = createEvmState(recordings, traces, 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z')
  expect(state.nonce(factory, 1)).toBe(2n)
  const warp = '0x0200000000000000000000000000000000000005'
  expect([0, 1].map((height) => [state.code(warp, height), state.nonce(warp, height)])).toEqual([
    ['0x', 0n],
    ['0x01', 1n],
  ])
})
