import { expect, it } from 'vitest'
import { UpstreamUnavailableError } from '../../../../src/errors.ts'
import { idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { utxoKey } from '../../../../src/store/utxo-key.ts'
import type { CallOptions, UpstreamPool } from '../../../../src/upstream/index.ts'
import { startStage } from '../../../indexer/stage.ts'
import { placeOf } from '../recorded-truth.ts'
import { between, loseC, serveBehind } from './c-behind.ts'
import { listed, spend } from './short-index.ts'
import { bornLate, LAST_LOST, loseBlocks } from './x-born-late.ts'

/** Waits on P, exported by C; and exported by P to C, where it was imported. */
const [waiting] = between('C', 'P').filter(({ consumedBy }) => consumedBy === null)
const [imported] = between('P', 'C').filter(({ consumedBy }) => consumedBy !== null)
const owner = waiting?.addresses[0] as string
const exporter = imported?.addresses[0] as string
const SHARED = 'what the p-chain shares with a c-chain that is not indexed to its tip'

type Rpc = UpstreamPool['rpc']

/** The recorded network, C lost from the index, behind a node whose answers a test may change; the server over them. */
async function startBehind() {
  const stage = await startStage({ name: 'testnet' })
  await stage.caughtUp()
  await stage.indexer.stop()
  await loseC(stage, 0)
  const asked: string[] = []
  const servers = new Set<object | undefined>()
  const node: {
    answer: ((method: string, params: unknown, real: () => ReturnType<Rpc>) => ReturnType<Rpc>) | undefined
  } = {
    answer: undefined,
  }
  const rpc = ((path: string, method: string, params: unknown, ...rest: [CallOptions?]) => {
    asked.push(method)
    servers.add(rest[0]?.sameServer)
    const real = () => stage.pool.rpc(path, method, params, ...rest)
    return node.answer ? node.answer(method, params, real) : real()
  }) as Rpc
  const app = await serveBehind({ store: stage.store, pool: { ...stage.pool, rpc } })
  const ask = async (what: string, address = owner) =>
    (await app.inject(`${placeOf('P')}/${what}?addresses=${address}&pageSize=100`)).json()
  const ids = async (address = owner): Promise<string[]> =>
    (await ask('utxos', address)).utxos.map(({ utxoId }: { utxoId: string }) => utxoId)
  return { stage, app, asked, servers, node, ask, ids }
}

const away =
  (...methods: string[]) =>
  async (method: string, _params: unknown, real: () => ReturnType<Rpc>) => {
    if (methods.includes(method)) throw new UpstreamUnavailableError('gone')
    return real()
  }

it('nodes that do not tell are an error, one that stumbles is none, and blocks of C are asked for once', async () => {
  const { asked, servers, node, ask, ids } = await startBehind()
  for (const method of [
    'platform.getHeight',
    'platform.getUTXOs',
    'avax.getUTXOs',
    'avax.getAtomicTx',
    'eth_getBlockByNumber',
  ]) {
    node.answer = away(method)
    for (const what of ['utxos', 'balances'])
      expect(await ask(what), method).toMatchObject({
        statusCode: 503,
        message: `${SHARED} is told by nodes, and none of them answers now`,
      })
  }
  let failures = 0
  node.answer = async (method, _params, real) => {
    if (method === 'avax.getUTXOs' && failures++ === 0) throw new UpstreamUnavailableError('stumbled')
    return real()
  }
  expect(await ids()).toContain(waiting?.utxoId)
  expect(failures).toBe(2)
  asked.length = 0
  servers.clear()
  expect(await ids()).toContain(waiting?.utxoId)
  // Of one node, whose height says what its lists know of.
  expect([...servers]).toEqual([{}])
  expect(asked).toEqual(['platform.getHeight', 'platform.getUTXOs', 'avax.getUTXOs', 'platform.getHeight'])
})

it('a node that does not run C is passed over for one that does', async () => {
  const { asked, node, ids } = await startBehind()
  // What the first server that was bound to tells is refused, as of one that runs P alone.
  let turn = 0
  node.answer = async (method, _params, real) => {
    if (method === 'platform.getUTXOs' && turn++ === 0) throw new UpstreamUnavailableError('no node runs C')
    return real()
  }
  asked.length = 0
  expect(await ids()).toContain(waiting?.utxoId)
  // The height of C comes before all else of the second turn: who has none is not bound to.
  expect(asked.indexOf('eth_blockNumber')).toBeGreaterThan(asked.indexOf('platform.getUTXOs'))
  expect(asked.indexOf('eth_blockNumber')).toBeLessThan(asked.lastIndexOf('platform.getHeight'))
  expect(asked.lastIndexOf('platform.getUTXOs')).toBeGreaterThan(asked.indexOf('eth_blockNumber'))
})

it('an index of P that is behind the node is waited for', async () => {
  const { stage, ask } = await startBehind()
  const [{ height }] = (await stage.sql(`select height from stream where name = 'testnet:P'`)) as [{ height: string }]
  await stage.sql(`update stream set height = ${height} - 1 where name = 'testnet:P'`)
  expect(await ask('balances')).toMatchObject({
    statusCode: 503,
    message: `the index of the p-chain has not reached block ${height} of the nodes yet`,
  })
  setTimeout(() => void stage.sql(`update stream set height = ${height} where name = 'testnet:P'`), 50)
  expect(await ask('balances')).toMatchObject({ balances: expect.anything() })
})

it('what P exported behind the height of the node is not taken for imported', async () => {
  const { node, ids } = await startBehind()
  expect(await ids(exporter)).not.toContain(imported?.utxoId)
  node.answer = async (method, _params, real) =>
    method === 'platform.getHeight' ? { height: String((imported?.createdAtHeight ?? 0) - 1) } : real()
  expect(await ids(exporter)).toContain(imported?.utxoId)
  node.answer = async (method, _params, real) =>
    method === 'platform.getHeight' ? { height: String(imported?.createdAtHeight) } : real()
  expect(await ids(exporter)).not.toContain(imported?.utxoId)
})

const key = utxoKey(idFromCb58(waiting?.txHash ?? ''), waiting?.outputIndex ?? 0)

it('what P has imported shows no more, also where the node is behind, and where it happens meanwhile', async () => {
  const { stage, ask, ids } = await startBehind()
  const before = await ask('balances')
  const shown = await ids()
  const { reader } = stage.store
  const list = reader.utxos.list
  let reads = 0
  reader.utxos.list = async (query) => {
    const page = await list(query)
    if (reads++ === 0) await spend(stage, key)
    return page
  }
  expect(await ids()).toEqual(shown.filter((id) => id !== waiting?.utxoId))
  expect(reads).toBe(2)
  const { balances } = await ask('balances')
  const amountOf = ({ atomicMemoryUnlocked }: { atomicMemoryUnlocked: { amount: string }[] }) =>
    atomicMemoryUnlocked.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  expect(amountOf(before.balances) - amountOf(balances)).toBe(BigInt(waiting?.amount ?? 0))
})

it('pages are full where most of what the index holds was imported on C long ago', async () => {
  const { stage } = await startBehind()
  const app = await serveBehind(stage)
  const sizes: number[] = []
  let token = ''
  do {
    const answer = await app.inject(`${placeOf('P')}/utxos?addresses=${exporter}&pageSize=2${token}`)
    const { utxos, nextPageToken } = answer.json()
    sizes.push(utxos.length)
    token = nextPageToken === undefined ? '' : `&pageToken=${nextPageToken}`
  } while (token !== '')
  expect(sizes.length).toBeGreaterThan(1)
  expect(
    sizes.slice(0, -1).every((size) => size === 2),
    String(sizes),
  ).toBe(true)
})

const [older] = between('X', 'C').filter(
  ({ consumedBy, createdAtHeight }) => consumedBy === null && createdAtHeight <= LAST_LOST,
)

it('what X exported to C before it had blocks, and is remembered, shows no more once C has it', async () => {
  const { stage, app, node } = await startBehind()
  await loseBlocks(stage)
  bornLate()
  const shown = async () =>
    (await listed(app, 'X', older?.addresses ?? [], 'pageSize=1024')).map(({ utxoId }) => utxoId)
  expect(await shown()).toContain(older?.utxoId)
  node.answer = async (method, _params, real) =>
    method === 'avax.getUTXOs' ? { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' } } : real()
  expect(await shown()).not.toContain(older?.utxoId)
})
