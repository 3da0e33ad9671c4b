import { expect, onTestFinished, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { emptyLedger, secpUtxo } from '../ledger-data.ts'
import { type LedgerCall, type LedgerNode, startLedgerNode } from '../ledger-node.ts'
import { context, hex, NOW, natives, text, wallet } from '../ledger-sources.ts'

const AMOUNT = 2_500

/**
 * Two nodes of one network that list the same UTXOs in orders of their own, and a source over both, or over the first.
 * @param preferred the first is asked before the second
 * @param maxConcurrent calls that each takes at once
 */
async function twoNodes(hedgeMinMs = 0, used = 2, preferred = false, maxConcurrent = 64) {
  const utxos = Array.from({ length: AMOUNT }, () => secpUtxo(hex(1), 1n))
  const nodes = await Promise.all(
    [false, true].map((reversed) => startLedgerNode({ ...emptyLedger(), memories: new Map([['X', utxos]]), reversed })),
  )
  const [first, second] = nodes
  if (!first || !second) throw new Error('two nodes were started')
  const specs = [{ url: first.url }, { url: second.url, priority: preferred ? 1 : 0 }].slice(0, used)
  const pool = createUpstreamPool('nodes', specs, { ...TEST_LIMITS, hedgeMinMs, maxConcurrent })
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  const network = createAvalancheNetwork({ pool })
  const deps = { network, keys: createKeyScanner({ network }), now: () => NOW }
  const own = (deadline?: number) => (deadline === undefined ? context() : { ...context(), deadline })
  const onX = createAvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.X })
  const onP = createPvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.P })
  return {
    nodes: [first, second],
    first,
    second,
    read: async (deadline?: number) => natives(await onX.readBalances([wallet('w', text(1))], own(deadline))),
    readP: async (deadline?: number, owner = 1) =>
      natives(await onP.readBalances([wallet('w', text(owner))], own(deadline))),
  }
}

const isPage = ({ method, params }: LedgerCall) => method === 'avm.getUTXOs' && params['startIndex'] !== undefined
const NOT_ALLOWED = { code: -32601, message: 'the method avm.getHeight does not exist/is not available' }
const OVERLOADED = { code: -32005, message: 'limit exceeded' }

test('pages of one list come from one node: another one has another order, and would leave some out', async () => {
  const { first, read } = await twoNodes()
  await read()
  let pages = 0
  // Now and then the first node refuses a page, which the second one would answer from its own list.
  first.before = (call) => (isPage(call) && ++pages === 1 ? OVERLOADED : undefined)
  expect(await read()).toEqual({ w: BigInt(AMOUNT) })
})

test('a node that ends in the middle of a list: the list is begun anew at another one', async () => {
  const { first, second, read } = await twoNodes()
  await read()
  second.calls.length = 0
  let pages = 0
  first.before = (call) => {
    if (isPage(call)) pages += 1
    return pages > 1 ? OVERLOADED : undefined
  }
  expect(await read()).toEqual({ w: BigInt(AMOUNT) })
  // Whole lists of the second one alone.
  expect(second.calls.filter(isPage).length % Math.floor(AMOUNT / 1_024)).toBe(0)
})

test('a node that hangs in the middle of a list leaves time to begin anew at another one', async () => {
  // A read that nobody answers soon is asked of the other one, too.
  const { first, second, read } = await twoNodes(50)
  await read()
  let hung: LedgerNode | undefined
  for (const node of [first, second])
    node.before = (call) => {
      if (!isPage(call)) return undefined
      hung ??= node
      return hung === node ? new Promise(() => {}) : undefined
    }
  expect(await read()).toEqual({ w: BigInt(AMOUNT) })
  expect(hung).toBeDefined()
})

test.each<[string, (node: LedgerNode) => void]>([
  [
    'whose gateway does not allow the question for its height',
    (node) => {
      node.before = ({ method }) => (method === 'avm.getHeight' ? NOT_ALLOWED : undefined)
    },
  ],
  [
    'that tells no height',
    (node) => {
      node.ledger.heights.X = Number.NaN
    },
  ],
])('a node %s: the list is read from the next one', async (_, spoil) => {
  const { first, read } = await twoNodes(0, 2, true)
  spoil(first)
  expect(await read()).toEqual({ w: BigInt(AMOUNT) })
})

test('a node that is the only one has the time that it needs for a page', async () => {
  const { first, read } = await twoNodes(0, 1)
  await read()
  let slow = 0
  first.before = (call) =>
    isPage(call) && ++slow === 1 ? new Promise((resolve) => setTimeout(resolve, 3_000, undefined)) : undefined
  expect(await read(Date.now() + 60_000)).toEqual({ w: BigInt(AMOUNT) })
  // Neither cut nor asked for once more.
  expect(slow).toBe(Math.floor(AMOUNT / 1_024))
})

test('where nodes are slow, the second reading of P has the time that the first one took', async () => {
  const { nodes, readP } = await twoNodes()
  const utxo = secpUtxo(hex(1), 5n)
  let lists = 0
  for (const node of nodes) {
    node.ledger.memories.set('P', [utxo])
    node.reindex()
    node.before = ({ method }) => {
      if (method !== 'platform.getUTXOs') return undefined
      lists += 1
      return new Promise((resolve) => setTimeout(resolve, 2_700, undefined))
    }
  }
  expect(await readP(Date.now() + 60_000)).toEqual({ w: 5n })
  // Its own outputs, twice, and those of X and C, of which there are none.
  expect(lists).toBe(4)
})

const WALLETS = 30

/** Reads of many wallets on P at once, of two nodes that take six calls at a time. */
async function crowdOnP() {
  const { nodes, first, readP } = await twoNodes(0, 2, false, 6)
  const owners = Array.from({ length: WALLETS }, (_, at) => at + 1)
  for (const node of nodes) {
    node.ledger.memories.set(
      'P',
      owners.map((owner) => secpUtxo(hex(owner), BigInt(owner))),
    )
    node.reindex()
  }
  // The network's facts are known then.
  await readP()
  for (const node of nodes) node.calls.length = 0
  return {
    nodes,
    first,
    read: () => Promise.all(owners.map((owner) => readP(undefined, owner))),
    right: owners.map((owner) => ({ w: BigInt(owner) })),
  }
}

test('busy nodes do not share the lists of one wallet among themselves: all would be read again from one of them', async () => {
  const { nodes, read, right } = await crowdOnP()
  expect(await read()).toEqual(right)
  const asked = (name: string) => nodes.map(({ calls }) => calls.filter(({ method }) => method === name).length)
  const both = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)
  // Outputs and stakes twice, since coins move between them; the shared memories are empty. The first wallet's stamp is known.
  expect([both(asked('platform.getUTXOs')), both(asked('platform.getStake'))]).toEqual([
    4 * WALLETS - 1,
    2 * WALLETS - 1,
  ])
  expect(Math.min(...asked('platform.getStake'))).toBeGreaterThan(0)
})

test('a busy node that ends leaves its wallets to the other one', async () => {
  const { first, read, right } = await crowdOnP()
  let answered = 0
  first.before = () => (++answered > 20 ? OVERLOADED : undefined)
  expect(await read()).toEqual(right)
})
