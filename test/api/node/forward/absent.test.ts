import { expect, it } from 'vitest'
import { type Asked, evmCall, gorillaCall, nodeAt, OTHER_CHAIN, type Reply, startFront } from '../fake-nodes.ts'

const idOf = ({ body }: Asked): string => /"id":(\d+)/.exec(body.toString())?.[1] ?? '1'
const result = (asked: Asked, value: object): Reply => ({
  body: `{"jsonrpc":"2.0","result":${JSON.stringify(value)},"id":${idOf(asked)}}\n`,
})
const failure = (asked: Asked, message: string): Reply => ({
  body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":${JSON.stringify(message)},"data":null},"id":${idOf(asked)}}\n`,
})

/** As nodes say it that were synced by state, whose index has a gap, or that are a block behind. */
const CASES: readonly [path: string, method: string, there: object, absent: object | string][] = [
  ['/ext/bc/C/avax', 'avax.getAtomicTx', { tx: '0x00', blockHeight: '5' }, 'could not find tx 2j85eEL2'],
  ['/ext/bc/C/avax', 'avax.getAtomicTxStatus', { status: 'Accepted', blockHeight: '5' }, { status: 'Unknown' }],
  ['/ext/bc/P', 'platform.getTx', { tx: '0x00' }, "couldn't get tx: not found"],
  ['/ext/bc/P', 'platform.getTxStatus', { status: 'Committed' }, { status: 'Unknown' }],
  ['/ext/bc/P', 'platform.getBlockchainStatus', { status: 'Validating' }, { status: 'Created' }],
  ['/ext/bc/P', 'platform.getBlock', { block: '0x00' }, "couldn't get block with id 2j85eEL2: not found"],
  ['/ext/bc/X', 'avm.getTx', { tx: '0x00' }, 'not found'],
  ['/ext/bc/X', 'avm.getTxStatus', { status: 'Processing' }, { status: 'Unknown' }],
  ['/ext/index/C/block', 'index.getContainerByID', { id: 'x', index: '5' }, 'not found'],
  ['/ext/index/C/block', 'index.isAccepted', { isAccepted: true }, { isAccepted: false }],
]

it.each(CASES)('%s %s: what one node has not is asked of another', async (path, method, there, absent) => {
  const lacking = (asked: Asked): Reply => (typeof absent === 'string' ? failure(asked, absent) : result(asked, absent))
  for (const index of [0, 1]) {
    const front = await startFront(2)
    nodeAt(front, index).answer = (asked) => (asked.method === method ? lacking(asked) : undefined)
    nodeAt(front, 1 - index).answer = (asked) => (asked.method === method ? result(asked, there) : undefined)
    const { text } = await front.post(path, gorillaCall(method, '{"txID":"x"}'))
    expect((JSON.parse(text) as { result?: object }).result).toEqual(there)
    nodeAt(front, 1 - index).answer = nodeAt(front, index).answer
    const nowhere = await front.post(path, gorillaCall(method, '{"txID":"y"}'))
    expect(JSON.parse(nowhere.text)).toMatchObject(
      typeof absent === 'string' ? { error: { message: absent } } : { result: absent },
    )
  }
})

/** What nodes say of one thing, the nearest to the truth first. */
const WORDS: readonly [path: string, method: string, ...told: object[]][] = [
  [
    '/ext/bc/P',
    'platform.getTxStatus',
    { status: 'Committed' },
    { status: 'Dropped', reason: 'failed to read consumed UTXO' },
    { status: 'Unknown' },
  ],
  ['/ext/bc/P', 'platform.getTxStatus', { status: 'Processing' }, { status: 'Dropped', reason: 'mempool is full' }],
  ['/ext/bc/C/avax', 'avax.getAtomicTxStatus', { status: 'Accepted' }, { status: 'Dropped' }, { status: 'Unknown' }],
  ['/ext/bc/P', 'platform.getBlockchainStatus', { status: 'Validating' }, { status: 'Created' }, { status: 'Unknown' }],
]

it.each(WORDS)('%s %s: the word of who knows most is told, whoever is asked first', async (path, method, ...told) => {
  for (let most = 0; most < told.length; most += 1)
    for (const turned of [false, true]) {
      const words = turned ? told.slice(most).reverse() : told.slice(most)
      const front = await startFront(words.length)
      for (const [index, word] of words.entries())
        nodeAt(front, index).answer = (asked) => (asked.method === method ? result(asked, word) : undefined)
      const { text } = await front.post(path, gorillaCall(method, '{"txID":"x"}'))
      expect((JSON.parse(text) as { result?: object }).result).toEqual(told[most])
    }
})

const L1 = `'${OTHER_CHAIN}'`
const SOURCE = `problem parsing source chainID "${OTHER_CHAIN}": there is no ID with alias: ${OTHER_CHAIN}`
/** As nodes say it that do not run an L1, or still catch up with it. */
const UNKNOWN: readonly [path: string, method: string, params: object, there: object, absent: object | string][] = [
  [
    '/ext/info',
    'info.isBootstrapped',
    { chain: OTHER_CHAIN },
    { isBootstrapped: true },
    `there is no chain with alias/ID ${L1}`,
  ],
  ['/ext/info', 'info.isBootstrapped', { chain: OTHER_CHAIN }, { isBootstrapped: true }, { isBootstrapped: false }],
  [
    '/ext/info',
    'info.getBlockchainID',
    { alias: OTHER_CHAIN },
    { blockchainID: OTHER_CHAIN },
    `there is no ID with alias: ${OTHER_CHAIN}`,
  ],
  ['/ext/bc/X', 'avm.getUTXOs', { addresses: ['X-a'], sourceChain: OTHER_CHAIN }, { numFetched: '0' }, SOURCE],
  ['/ext/bc/C/avax', 'avax.getUTXOs', { addresses: ['C-a'], sourceChain: OTHER_CHAIN }, { numFetched: '0' }, SOURCE],
  ['/ext/bc/P', 'platform.getUTXOs', { addresses: ['P-a'], sourceChain: OTHER_CHAIN }, { numFetched: '0' }, SOURCE],
]

it.each(UNKNOWN)('%s %s: an L1 that only one node runs is there', async (path, method, params, there, absent) => {
  const lacking = (asked: Asked): Reply => (typeof absent === 'string' ? failure(asked, absent) : result(asked, absent))
  for (const index of [0, 4]) {
    const front = await startFront(5)
    for (const node of front.nodes) node.answer = (asked) => (asked.method === method ? lacking(asked) : undefined)
    const nowhere = await front.post(path, gorillaCall(method, JSON.stringify(params)))
    expect(JSON.parse(nowhere.text)).toMatchObject(
      typeof absent === 'string' ? { error: { message: absent } } : { result: absent },
    )
    nodeAt(front, index).answer = (asked) => (asked.method === method ? result(asked, there) : undefined)
    const { text } = await front.post(path, gorillaCall(method, JSON.stringify(params)))
    expect((JSON.parse(text) as { result?: object }).result).toEqual(there)
  }
})

/** As one says it that does not run the chain, has not caught up with it, or is of another version. */
const UNASKED: readonly [what: string, Reply | ((asked: Asked) => Reply)][] = [
  ['does not run the chain', { status: 404, body: '404 page not found\n' }],
  ['starts', { status: 503, body: 'API call rejected because chain is not done bootstrapping' }],
  ['lacks the method', (asked) => failure(asked, 'rpc: can\'t find method "platform.GetTx"')],
]

it.each(UNASKED)('that there is nothing counts before the word of a node that %s', async (_what, unasked) => {
  // Whichever is asked first says the one, the other the other.
  for (const turn of [0, 1]) {
    const front = await startFront(2)
    let asked = 0
    for (const node of front.nodes)
      node.answer = (call) => {
        if (call.method !== 'platform.getTx') return undefined
        asked += 1
        if (asked % 2 === turn) return failure(call, 'not found')
        return typeof unasked === 'function' ? unasked(call) : unasked
      }
    const { status, text } = await front.post('/ext/bc/P', gorillaCall('platform.getTx', '{"txID":"x"}'))
    expect([asked, status, (JSON.parse(text) as { error: { message: string } }).error.message]).toEqual([
      2,
      200,
      'not found',
    ])
  }
})

it('a receipt that is not there yet is null, where a node beside does not run the L1', async () => {
  for (const turn of [0, 1]) {
    const front = await startFront(2)
    let asked = 0
    for (const node of front.nodes)
      node.answer = (call) => {
        if (call.method !== 'eth_getTransactionReceipt') return undefined
        asked += 1
        if (asked % 2 === turn) return { body: `{"jsonrpc":"2.0","id":${idOf(call)},"result":null}\n` }
        return { status: 404, body: '404 page not found\n' }
      }
    const hash = `0x${'ab'.repeat(32)}`
    const { status, text } = await front.post(
      `/ext/bc/${OTHER_CHAIN}/rpc`,
      evmCall('eth_getTransactionReceipt', `["${hash}"]`),
    )
    expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: null }])
  }
})

it('that there is no such method counts before the word of a node that does not run the L1', async () => {
  const lacking = 'the method eth_baseFee does not exist/is not available'
  for (const turn of [0, 1]) {
    const front = await startFront(2)
    let asked = 0
    for (const node of front.nodes)
      node.answer = (call) => {
        if (call.method !== 'eth_baseFee') return undefined
        asked += 1
        return asked % 2 === turn ? failure(call, lacking) : { status: 404, body: '404 page not found\n' }
      }
    const { status, text } = await front.post(`/ext/bc/${OTHER_CHAIN}/rpc`, evmCall('eth_baseFee', '[]'))
    expect([status, JSON.parse(text)]).toMatchObject([200, { error: { message: lacking } }])
  }
})

/** As servers of other kinds than geth's, and what stands before nodes, say it. */
it.each([
  [-32601, 'Method not found'],
  [-32601, 'rpc method is not whitelisted'],
  [-32604, 'Method not enabled'],
])('%d %s: a method that one node has not is asked of another', async (code, message) => {
  for (const index of [0, 1]) {
    const front = await startFront(2)
    const lacking = (asked: Asked): Reply | undefined =>
      asked.method === 'debug_traceTransaction'
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: Number(idOf(asked)), error: { code, message } }) }
        : undefined
    const path = `/ext/bc/${OTHER_CHAIN}/rpc`
    const call = evmCall('debug_traceTransaction', `["0x${'ab'.repeat(32)}"]`)
    nodeAt(front, index).answer = lacking
    nodeAt(front, 1 - index).answer = (asked) =>
      asked.method === 'debug_traceTransaction' ? result(asked, { gas: 1 }) : undefined
    expect(JSON.parse((await front.post(path, call)).text)).toMatchObject({ result: { gas: 1 } })
    expect(JSON.parse((await front.post(path, `[${call}]`)).text)).toMatchObject([{ result: { gas: 1 } }])
    nodeAt(front, 1 - index).answer = lacking
    expect(JSON.parse((await front.post(path, call)).text)).toMatchObject({ error: { code, message } })
  }
})
