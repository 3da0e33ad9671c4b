import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { createAvalancheNetwork } from '../../../../src/chains/avalanche/index.ts'
import { verifyIndex } from '../../../../src/indexer/verify/index.ts'
import { idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { utxoKey } from '../../../../src/store/utxo-key.ts'
import { startStage } from '../../../indexer/stage.ts'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { everyAddress, LETTERS, type Letter, ownerLists, placeOf } from '../recorded-truth.ts'
import { exported, listed, lostExports, newcomers, old, others, type ShownUtxo, startShort } from './short-index.ts'
import { bornLate, FIRST, LAST_LOST, loseBlocks, OPEN, serve } from './x-born-late.ts'

const { avaxAssetID: AVAX } = recordedJson<{ avaxAssetID: string }>('network')
const addresses = everyAddress(trueUtxos())

const balancesOf = async (app: FastifyInstance, letter: Letter, owners: string) => {
  const answer = await app.inject(`${placeOf(letter)}/balances?addresses=${owners}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

/** The kind of an asset is told by its making alone. */
const withoutType = (text: string): unknown => JSON.parse(text.replaceAll(/,"type":"(secp256k1|nft)"/g, ''))

const made = new Map(trueUtxos().map((utxo) => [utxo.utxoId, utxo]))

/** As an entry shows where X has the blocks before number 0 of nobody: all of them count as that one. */
function asOlder(utxo: ShownUtxo): ShownUtxo {
  const { createdOnChain, createdAtHeight } = made.get(utxo.utxoId) ?? {}
  if (createdOnChain !== 'X' || Number(createdAtHeight) > LAST_LOST) return utxo
  if (utxo.timestamp !== undefined) return { ...utxo, timestamp: FIRST }
  return { ...utxo, blockTimestamp: FIRST, blockNumber: '0' }
}

const byId = (a: ShownUtxo, b: ShownUtxo): number => (a.utxoId < b.utxoId ? -1 : 1)
const sorted = (utxos: readonly ShownUtxo[]): unknown => withoutType(JSON.stringify([...utxos].map(asOlder).sort(byId)))

/** An asset of X with outputs of before and since. */
const asset = trueUtxos().find(
  ({ createdOnChain, createdAtHeight, consumedBy, assetId }) =>
    createdOnChain === 'X' && createdAtHeight > 0 && createdAtHeight <= LAST_LOST && !consumedBy && assetId !== AVAX,
)?.assetId
const CHOICES = [
  `pageSize=1024&assetId=${asset}`,
  `pageSize=1024&assetId=${AVAX}`,
  'pageSize=1024&minUtxoAmount=1000000',
]

it('what X left unspent before its blocks is in the lists and balances of all chains, as nodes have it', async () => {
  const stage = await startStage({ name: 'testnet' })
  await stage.caughtUp()
  await stage.indexer.stop()
  const whole = await serve(stage)
  const before = new Map<Letter, { utxos: unknown; balances: unknown[]; chosen: string[][] }>()
  const chosen = async (app: FastifyInstance, letter: Letter) =>
    Promise.all(
      CHOICES.map(async (query) => (await listed(app, letter, addresses, query)).map(({ utxoId }) => utxoId).sort()),
    )
  const balances = async (app: FastifyInstance, letter: Letter) =>
    Promise.all(
      ownerLists(addresses).map(async (owners) => withoutType(JSON.stringify(await balancesOf(app, letter, owners)))),
    )
  for (const letter of LETTERS)
    before.set(letter, {
      utxos: sorted(await listed(whole, letter, addresses, 'pageSize=1024')),
      balances: await balances(whole, letter),
      chosen: await chosen(whole, letter),
    })

  await loseBlocks(stage)
  const short = await serve(stage)
  for (const letter of LETTERS) {
    const told = sorted(await listed(short, letter, addresses, 'pageSize=1024'))
    expect(told, letter).not.toEqual(before.get(letter)?.utxos)
  }

  bornLate()
  const app = await serve(stage)
  for (const letter of LETTERS) {
    const utxos = await listed(app, letter, addresses, 'pageSize=1024')
    expect(sorted(utxos), letter).toEqual(before.get(letter)?.utxos)
    expect(await balances(app, letter), letter).toEqual(before.get(letter)?.balances)
    expect(await chosen(app, letter), letter).toEqual(before.get(letter)?.chosen)
    for (const sortBy of ['timestamp', 'amount'])
      for (const sortOrder of ['asc', 'desc']) {
        const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&minUtxoAmount=2`
        const large = await listed(app, letter, addresses, `${query}&pageSize=1024`)
        const small = await listed(app, letter, addresses, `${query}&pageSize=211`)
        expect(small.map(({ utxoId }) => utxoId)).toEqual(large.map(({ utxoId }) => utxoId))
        expect(new Set(large.map(({ utxoId }) => utxoId)).size).toBe(large.length)
      }
  }
})

it('says what it cannot know of then, asks for nothing twice, and waits for an index that is behind the nodes', async () => {
  const { stage, asked, lies, pool, app } = await startShort()
  bornLate()
  const owner = exported?.addresses[0] as string
  const status = async (path: string) => (await app.inject(path)).statusCode
  const [x, p] = [placeOf('X'), placeOf('P')]

  for (const path of [
    'utxos?includeSpent=true&',
    'balances?blockTimestamp=1795173700&',
    'lastActivityTimestampByAddresses?',
  ])
    expect((await app.inject(`${x}/${path}addresses=${owner}`)).json()).toMatchObject({
      statusCode: 503,
      message: expect.stringMatching(
        /^(the spent outputs|balances of the past|the last activity of addresses) of the x-chain/,
      ),
    })
  for (const path of [
    'utxos?includeSpent=true&',
    'balances?blockTimestamp=1795173700&',
    'lastActivityTimestampByAddresses?',
  ])
    expect(await status(`${p}/${path}addresses=${owner}`)).toBe(200)

  // It was there when the blocks began; of before nothing is known.
  const waiting = async (time: number) => {
    const { balances } = (await app.inject(`${p}/balances?addresses=${owner}&blockTimestamp=${time}`)).json()
    const shared: { utxoCount: number }[] = [...balances.atomicMemoryUnlocked, ...balances.atomicMemoryLocked]
    return shared.reduce((sum, { utxoCount }) => sum + utxoCount, 0)
  }
  const own = lostExports.filter(({ addresses }) => addresses.includes(owner)).length
  expect((await waiting(FIRST + 1)) - (await waiting(FIRST))).toBe(own)

  // Nothing is added to what X had then: nobody is asked for again.
  await listed(app, 'X', newcomers, 'pageSize=10')
  await listed(app, 'P', others, 'pageSize=10')
  expect([others.length, newcomers.length]).toEqual([3, 3])
  asked.length = 0
  await listed(app, 'X', newcomers, 'pageSize=10')
  await listed(app, 'P', others, 'pageSize=10')
  expect(asked).toEqual([])
  const anew = await serve({ store: stage.store, pool })
  await listed(anew, 'P', [...others, owner], 'pageSize=1024')
  expect(asked).toEqual(['platform.getUTXOs', 'avm.getUTXOs'])

  // Without an index of X, what is older cannot be told from what is new.
  const withoutX = await serve({ store: stage.store, pool }, (stream) => !stream.endsWith(':X'))
  asked.length = 0
  expect((await listed(withoutX, 'P', [owner], 'pageSize=1024')).map(({ utxoId }) => utxoId)).not.toContain(
    exported?.utxoId,
  )
  expect(asked).toEqual([])
  const [held] = trueUtxos().filter((utxo) => utxo.createdOnChain === 'X' && utxo.addresses.some((one) => old.has(one)))
  const whose = [held?.addresses[0] as string]
  expect(await listed(withoutX, 'X', whose, 'pageSize=1024')).toEqual(await listed(app, 'X', whose, 'pageSize=1024'))

  const idsOf = async () => (await listed(app, 'P', [owner], 'pageSize=1024')).map(({ utxoId }) => utxoId)
  expect(await idsOf()).toContain(exported?.utxoId)
  await stage.sql(`update stream set height = 150 where name = 'testnet:X'`)
  const late = await serve({ store: stage.store, pool })
  const behind = await late.inject(`${p}/utxos?addresses=${owner}`)
  expect(behind.json()).toMatchObject({
    statusCode: 503,
    message: 'the index of the x-chain has not reached block 212 of the nodes yet',
  })
  await stage.sql(`update stream set height = 212 where name = 'testnet:X'`)

  // What is somebody else's is no answer.
  lies.aboutWhom = true
  const [stranger] = addresses.filter((address) => !exported?.addresses.includes(address) && !others.includes(address))
  expect(await status(`${p}/utxos?addresses=${stranger}`)).toBe(503)
  lies.aboutWhom = false
  expect(await status(`${p}/utxos?addresses=${stranger}`)).toBe(200)

  // A node that is behind still has what the index has seen imported.
  const key = utxoKey(idFromCb58(exported?.txHash ?? ''), exported?.outputIndex ?? 0)
  await stage.sql(`insert into utxo (network, utxo, tx_id, output_index, consumed_by, consumed_height, consumed_time)
    select network, '${key}', tx_id, 0, tx_id, 1, 1 from utxo limit 1`)
  expect(await idsOf()).not.toContain(exported?.utxoId)
  await stage.sql(`delete from utxo where utxo = '${key}'`)

  const alone = await serve({ store: stage.store, pool })
  for (const node of stage.nodes) await node.stop()
  expect((await alone.inject(`${p}/utxos?addresses=${owner}`)).json()).toMatchObject({
    statusCode: 503,
    message: 'what the x-chain had before it had blocks is told by nodes, and none of them answers now',
  })
  expect(await status(`${p}/balances?addresses=${owner}&blockTimestamp=${FIRST}`)).toBe(200)
  expect(await status(`${p}/utxos?addresses=${others}`)).toBe(200)
})

it('a comparison with the nodes leaves out what no index can know', async () => {
  const { stage } = await startShort()
  const differences = async (): Promise<readonly string[]> => {
    const report = await verifyIndex({
      reader: stage.store.reader,
      networks: [{ name: 'testnet', network: createAvalancheNetwork({ pool: stage.pool }), letters: LETTERS }],
      evm: [],
      samples: 60,
      durationMs: 60_000,
      seed: 1,
      signal: new AbortController().signal,
    })
    expect(report.unsettled).toBe(0)
    return report.differences
  }
  expect(await differences()).not.toEqual([])
  bornLate()
  expect(await differences()).toEqual([])
  await stage.sql(`update utxo_owner set amount = amount + 1 where consumed_time = ${OPEN}`)
  expect(await differences()).not.toEqual([])
})
