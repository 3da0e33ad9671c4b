import { expect, it, onTestFinished, vi } from 'vitest'
import { type EvmStage, type HighNode, startNodesAt } from '../stage.ts'

// Who has been shown a block asks for the state of now: no node may be asked then that does not have the block.

const hex = (number: number): string => `0x${number.toString(16)}`
const LATE = 0
const AHEAD = 1

/** Balances are the heights of those who tell them. */
const start = (heights: readonly number[]) =>
  startNodesAt(heights, (node, { method, params }) => {
    if (method === 'eth_blockNumber' || method === 'eth_getBalance') return hex(node.height)
    const [number] = params as string[]
    return Number(number) <= node.height ? { number, hash: `0x${'ab'.repeat(32)}` } : null
  })

const balance = async (stage: EvmStage, block = 'latest'): Promise<number> =>
  Number(await stage.call('eth_getBalance', [`0x${'1'.repeat(40)}`, block]))

const asked = ({ server }: HighNode, what: string): number =>
  server.stats.seen.filter(({ method }) => method === what).length

it('what is asked about now goes to a node with the newest block that was shown', async () => {
  const { stage, nodes } = await start([100, 100])
  const [late, ahead] = nodes as [HighNode, HighNode]
  expect(await balance(stage)).toBe(100)
  expect(asked(late, 'eth_getBalance')).toBe(1)
  ahead.height = 101
  // The first one does not have it, the second shows it.
  expect(await stage.call('eth_getBlockByNumber', [hex(101), false])).toMatchObject({ number: hex(101) })
  for (let time = 0; time < 5; time++) expect(await balance(stage)).toBe(101)
  const batch = [1, 2].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getBalance',
    params: [`0x${'2'.repeat(40)}`, 'latest'],
  }))
  for (const { result } of JSON.parse((await stage.post(batch)).text)) expect(result).toBe(hex(101))
  // What is final can be had everywhere: the quicker one is asked.
  ahead.server.set({ latencyMs: 200 })
  const before = asked(late, 'eth_getBalance')
  let final = 90
  await expect
    .poll(async () => {
      expect(await balance(stage)).toBe(101)
      await balance(stage, hex(final--))
      return asked(late, 'eth_getBalance')
    })
    .toBeGreaterThan(before)
  // One that has it now, too, is found out, and asked again where it is the quicker one.
  late.height = 101
  const then = asked(late, 'eth_getBalance')
  await expect
    .poll(async () => {
      await balance(stage)
      return asked(late, 'eth_getBalance')
    })
    .toBeGreaterThan(then)
  // Beside what the pool looks at now and then.
  await expect
    .poll(async () => {
      const looks = asked(late, 'eth_blockNumber')
      for (let time = 0; time < 5; time++) expect(await balance(stage)).toBe(101)
      return asked(late, 'eth_blockNumber') - looks
    })
    .toBe(0)
})

it('a height far above all others is told to nobody while another node answers, nor is its node asked for the state of now', async () => {
  const { stage, nodes } = await start([100, 100])
  const [broken, good] = nodes as [HighNode, HighNode]
  expect(await stage.call('eth_blockNumber')).toBe(hex(100))
  broken.height = 1_000_000
  for (let time = 0; time < 5; time++) expect(await stage.call('eth_blockNumber')).toBe(hex(100))
  good.height = 101
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(101))
  for (let time = 0; time < 5; time++) expect(await balance(stage)).toBe(101)
})

it('what a block that was shown holds is not said to be missing by nodes that lack the block, however many they are', async () => {
  const found = { blockHash: `0x${'ab'.repeat(32)}`, blockNumber: hex(101) }
  const { stage } = await startNodesAt([100, 100, 101], (node, { method, params }) => {
    if (method === 'eth_blockNumber') return hex(node.height)
    if (method === 'eth_getBlockByNumber')
      return Number((params as string[])[0]) <= node.height ? { number: (params as string[])[0] } : null
    return node.height > 100 ? found : null
  })
  expect(await stage.call('eth_getBlockByNumber', [hex(101), false])).toEqual({ number: hex(101) })
  const hashOf = (digit: number) => `0x${String(digit).repeat(64)}`
  expect(await stage.call('eth_getTransactionReceipt', [hashOf(1)])).toEqual(found)
  expect(await stage.call('eth_getBlockByHash', [hashOf(2), false])).toEqual(found)
  const method = 'eth_getTransactionReceipt'
  const batch = [3, 4].map((id) => ({ jsonrpc: '2.0', id, method, params: [hashOf(id)] }))
  expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: found }, { result: found }])
})

it('what nodes with the newest block do not find is not there: a third need not be asked, and may hang', async () => {
  const { stage, nodes } = await startNodesAt([101, 101, 101], (node, { method }) =>
    method === 'eth_blockNumber' ? hex(node.height) : null,
  )
  await stage.call('eth_blockNumber')
  const receipts = () => nodes.map((node) => asked(node, 'eth_getTransactionReceipt')).reduce((a, b) => a + b)
  let digit = 0
  await expect
    .poll(async () => {
      const before = receipts()
      expect(await stage.call('eth_getTransactionReceipt', [`0x${String(++digit).padStart(64, '0')}`])).toBeNull()
      return receipts() - before
    })
    .toBe(2)
})

it('where nobody else is there, the one that is a block behind is better than nobody', async () => {
  const { stage, nodes } = await start([100, 101])
  const ahead = nodes[AHEAD] as HighNode
  await stage.call('eth_getBlockByNumber', [hex(101), false])
  await ahead.server.close()
  expect(await balance(stage)).toBe((nodes[LATE] as HighNode).height)
})

it('a block that is only pending is not the newest one', async () => {
  const { stage } = await startNodesAt([100, 100], (node, { method, params }) => {
    if (method === 'eth_blockNumber') return hex(node.height)
    const [number] = params as string[]
    return { number: number === 'pending' ? hex(node.height + 1) : number }
  })
  expect(await stage.call('eth_blockNumber')).toBe(hex(100))
  expect(await stage.call('eth_getBlockByNumber', ['pending', false])).toEqual({ number: hex(101) })
  expect(await stage.call('eth_blockNumber')).toBe(hex(100))
})

it('a batch goes to a node with the newest block, too, where one of its entries is nowhere: who waits for a receipt reads his balance beside it', async () => {
  const { stage } = await startNodesAt([101, 100], (node, { method }) => {
    if (method === 'eth_getTransactionReceipt') return null
    return method === 'eth_blockNumber' || method === 'eth_getBalance' || method === 'debug_x'
      ? hex(node.height)
      : undefined
  })
  expect(await stage.call('eth_blockNumber')).toBe(hex(101))
  for (let time = 0; time < 3; time++) {
    const calls = [
      ['eth_getTransactionReceipt', [`0x${'a'.repeat(63)}${time}`]],
      ['eth_getBalance', [`0x${'3'.repeat(40)}`, 'latest']],
      ['eth_getBalance', [`0x${'4'.repeat(40)}`, 'pending']],
      ['debug_x', []],
    ] as const
    const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const answers = JSON.parse((await stage.post(batch)).text) as { result: unknown }[]
    expect(answers.map(({ result }) => result)).toEqual([null, hex(101), hex(101), hex(101)])
  }
})

it('logs up to a block are not those of a node that has not got it, which some leave out without a word', async () => {
  const { stage, nodes } = await startNodesAt([100, 101], (node, { method, params }) => {
    if (method !== 'eth_getLogs') return method === 'eth_blockNumber' ? hex(node.height) : undefined
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
    const end = toBlock === 'latest' ? node.height : Math.min(Number(toBlock), node.height)
    return Array.from({ length: end - Number(fromBlock) + 1 }, (_, at) => ({
      blockNumber: hex(Number(fromBlock) + at),
    }))
  })
  const [late, ahead] = nodes as [HighNode, HighNode]
  const logs = async (from: number, to?: number): Promise<number> =>
    (await stage.call<unknown[]>('eth_getLogs', [{ fromBlock: hex(from), toBlock: to ? hex(to) : 'latest' }])).length
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(101))
  for (const first of [95, 96]) {
    const asked = { fromBlock: hex(first), toBlock: hex(101) }
    expect(((await stage.call('eth_getLogs', [asked])) as unknown as unknown[]).length).toBe(102 - first)
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ ...asked, address: `0x0${first}` }] }]
    expect(JSON.parse((await stage.post(batch)).text)[0].result.length).toBe(102 - first)
  }
  // Up to what it has it is believed.
  ahead.server.set({ status: 503 })
  expect(await logs(98, 99)).toBe(2)
  // Where nobody else is there, an error is better than three of four: a scanner never comes back for the fourth.
  await expect(logs(98, 101)).rejects.toThrow('no node')
  // Who is told that 101 is the newest block goes on from there.
  expect(await stage.call('eth_blockNumber')).toBe(hex(101))
  await expect(logs(98)).rejects.toThrow('no node')
  const calls = [
    ['eth_getLogs', [{ fromBlock: hex(97), toBlock: hex(101) }]],
    ['eth_getLogs', [{ fromBlock: hex(97), toBlock: hex(98) }]],
    ['eth_blockNumber', []],
  ] as const
  const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const told = JSON.parse((await stage.post(batch)).text)
  expect(told).toMatchObject([{ id: 0, error: { code: -32_603 } }, { id: 1 }, { id: 2, result: hex(101) }])
  expect(told[1].result.length).toBe(2)
  // Once it has the block, it is believed, however short the time since it was last asked.
  late.height = 101
  expect(await logs(98)).toBe(4)
  expect(await logs(98, 101)).toBe(4)
  expect(JSON.parse((await stage.post(batch)).text)[0].result.length).toBe(5)
})

it('logs up to a block wait for a late node that is about to have it, where nobody else is left', async () => {
  const { stage, nodes } = await startNodesAt([100, 101], (node, { method, params }) => {
    if (method === 'eth_getLogs')
      return Array.from({ length: node.height - Number((params as [{ fromBlock: string }])[0].fromBlock) + 1 }, () => 1)
    return method === 'eth_blockNumber' ? hex(node.height) : undefined
  })
  const [late, ahead] = nodes as [HighNode, HighNode]
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(101))
  ahead.server.set({ status: 503 })
  const logs = stage.call<unknown[]>('eth_getLogs', [{ fromBlock: hex(100), toBlock: hex(101) }])
  await expect.poll(() => asked(late, 'eth_getLogs')).toBe(1)
  late.height = 101
  expect((await logs).length).toBe(2)
})

it('logs are not withheld for a block that no node has shown for a minute: the chain was set back', async () => {
  const { stage, nodes } = await startNodesAt([100, 101], (node, { method }) =>
    method === 'eth_getLogs' ? [node.height] : method === 'eth_blockNumber' ? hex(node.height) : undefined,
  )
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(101))
  await (nodes[AHEAD] as HighNode).server.close()
  const logs = () => stage.call('eth_getLogs', [{ fromBlock: hex(95), toBlock: hex(101) }])
  await expect(logs()).rejects.toThrow('no node')
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  onTestFinished(() => clock.mockRestore())
  expect(await logs()).toEqual([100])
})

it('who was told that an atomic transaction is accepted is shown no nonce of before', async () => {
  const { stage, nodes } = await startNodesAt([100, 101], (node, { method }) => {
    if (method === 'avax.issueTx') return { txID: 'x' }
    if (method === 'avax.getAtomicTxStatus') return { status: node.height === 101 ? 'Accepted' : 'Processing' }
    return method === 'eth_blockNumber' || method === 'eth_getTransactionCount' ? hex(node.height) : undefined
  })
  const [late, ahead] = nodes as [HighNode, HighNode]
  const nonce = (): Promise<string> => stage.call('eth_getTransactionCount', [`0x${'1'.repeat(40)}`, 'latest'])
  // Nobody has shown the block that holds it by then, as where a node is asked for its height now and then.
  ahead.height = 100
  expect(await nonce()).toBe(hex(100))
  await stage.call('avax.issueTx', [{ tx: '0x' }], '/ext/bc/C/avax')
  ahead.height = 101
  late.server.set({ status: 503 })
  const status = await stage.call('avax.getAtomicTxStatus', [{ txID: 'x' }], '/ext/bc/C/avax')
  expect(status).toEqual({ status: 'Accepted' })
  late.server.set({})
  for (let time = 0; time < 20; time++) expect(await nonce()).toBe(hex(101))
})

it.each([
  ['avax.getAtomicTxStatus', { status: 'Accepted', blockHeight: '101' }],
  ['avax.getAtomicTx', { tx: `0x${'ab'.repeat(400)}`, encoding: 'hex', blockHeight: '101' }],
])(
  'who was told by %s that an atomic transaction is accepted is shown no nonce of before where nodes execute a block some time behind accepting it',
  async (question, told) => {
    const looks = new Map<HighNode, number>()
    let isAccepted = false
    const { stage, nodes } = await startNodesAt([100, 100], (node, { method }) => {
      if (method === 'avax.issueTx') return { txID: 'x' }
      if (method === question) return isAccepted ? told : { status: 'Unknown' }
      if (method === 'eth_getTransactionCount') return hex(node.height)
      if (method !== 'eth_blockNumber') return undefined
      if (isAccepted) looks.set(node, (looks.get(node) ?? 0) + 1)
      if ((looks.get(node) ?? 0) > 3) node.height = 101
      return hex(node.height)
    })
    const nonce = (): Promise<string> => stage.call('eth_getTransactionCount', [`0x${'1'.repeat(40)}`, 'latest'])
    expect(await nonce()).toBe(hex(100))
    await stage.call('avax.issueTx', [{ tx: '0x' }], '/ext/bc/C/avax')
    isAccepted = true
    expect(await stage.call(question, [{ txID: 'x' }], '/ext/bc/C/avax')).toEqual(told)
    expect(nodes.map(({ height }) => height)).toEqual([101, 101])
    for (let time = 0; time < 5; time++) expect(await nonce()).toBe(hex(101))
  },
)

it('a node that does not find an atomic transaction yet is not read from once that was told as accepted', async () => {
  const { stage, nodes } = await startNodesAt([100, 100], (node, { method }) => {
    if (method === 'avax.issueTx') return { txID: 'x' }
    if (method === 'avax.getUTXOs') return { numFetched: String(node.height) }
    if (method === 'avax.getAtomicTx' && node.height === 101) return { tx: '0x', blockHeight: '101' }
    return method === 'eth_blockNumber' ? hex(node.height) : undefined
  })
  const [late, ahead] = nodes as [HighNode, HighNode]
  await stage.call('avax.issueTx', [{ tx: '0x' }], '/ext/bc/C/avax')
  ahead.height = 101
  const message = 'could not find tx x'
  late.server.set({ rpcError: { code: -32_000, message, methods: ['avax.getAtomicTx'] } })
  await expect
    .poll(() => stage.call('avax.getAtomicTx', [{ txID: 'x' }], '/ext/bc/C/avax').catch(() => undefined))
    .toMatchObject({ blockHeight: '101' })
  for (let time = 0; time < 20; time++)
    expect(await stage.call('avax.getUTXOs', [{}], '/ext/bc/C/avax')).toEqual({ numFetched: '101' })
})
