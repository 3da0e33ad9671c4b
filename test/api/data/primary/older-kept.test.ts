import { expect, it } from 'vitest'
import { idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { utxoKey } from '../../../../src/store/utxo-key.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { type Letter, placeOf } from '../recorded-truth.ts'
import { exported, listed, lostExports, others, spend, startShort } from './short-index.ts'
import { bornLate, FIRST, LAST_LOST, serve } from './x-born-late.ts'

const owner = exported?.addresses[0] as string
const own = lostExports.filter(({ addresses }) => addresses.includes(owner)).map(({ utxoId }) => utxoId)
const key = utxoKey(idFromCb58(exported?.txHash ?? ''), exported?.outputIndex ?? 0)

it('nodes are asked once for what an address had then, and the index tells what was spent of it', async () => {
  const { stage, asked, app } = await startShort()
  bornLate()
  const idsOf = async (owners: string[], pageSize: number) =>
    (await listed(app, 'P', owners, `pageSize=${pageSize}`)).map(({ utxoId }) => utxoId)
  const small = await idsOf([owner], 1)
  expect(small).toEqual(expect.arrayContaining(own))
  expect(small.length).toBeGreaterThan(1)
  expect(asked).toEqual(['platform.getUTXOs', 'avm.getUTXOs'])
  // Beside others of whom nothing is known only they are asked for, and what is known shows once.
  expect((await idsOf([owner, ...others], 1_024)).filter((id) => own.includes(id)).sort()).toEqual([...own].sort())
  expect(asked.length).toBe(4)
  const { balances } = (await app.inject(`${placeOf('P')}/balances?addresses=${owner}`)).json()
  expect(asked.length).toBe(4)
  await spend(stage, key)
  expect(await idsOf([owner], 1_024)).toEqual((await idsOf([owner], 1)).filter((id) => id !== exported?.utxoId))
  expect((await app.inject(`${placeOf('P')}/balances?addresses=${owner}`)).json().balances).not.toEqual(balances)
  expect(asked.length).toBe(4)
})

it('no node needs to describe assets of which a balance shows nothing', async () => {
  const { stage, asked, pool } = await startShort()
  const { reader } = stage.store
  const unknown = { id: 'ab'.repeat(32) }
  const groups: typeof reader.balances.groups = async (query) => {
    const held = await reader.balances.groups(query)
    return held.flatMap((group) => [
      group,
      { ...group, asset: unknown, kind: 'nft-transfer' as const },
      { ...group, asset: unknown, kind: 'transfer' as const, direction: 'exported' as const },
      { ...group, asset: unknown, kind: 'transfer' as const, amount: 0n, utxoCount: 0 },
    ])
  }
  const app = await serve({ store: { ...stage.store, reader: { ...reader, balances: { groups } } }, pool })
  const answer = await app.inject(`${placeOf('P')}/balances?addresses=${owner}`)
  expect({ status: answer.statusCode, body: answer.body }).toMatchObject({ status: 200 })
  expect(asked.filter((method) => method.includes('Description'))).toEqual([])
})

it('an output that is spent while the index is read shows beside nothing that came of it', async () => {
  const { stage, pool } = await startShort()
  bornLate()
  const { reader } = stage.store
  let reads = 0
  let spentFor = 0
  const list: typeof reader.utxos.list = async (query) => {
    const page = await reader.utxos.list(query)
    reads++
    if (spentFor > 0) await spend(stage, key)
    return page
  }
  const lives: typeof reader.utxos.lives = async (...of) => {
    const told = await reader.utxos.lives(...of)
    // Somebody who never sees it in peace: as soon as one look is over, another output is spent.
    if (spentFor > 1) await stage.sql(`delete from utxo where utxo = '${key}'`)
    return told
  }
  const store = { ...stage.store, reader: { ...reader, utxos: { ...reader.utxos, list, lives } } }
  const app = await serve({ store, pool })
  const read = async () => {
    reads = 0
    return app.inject(`${placeOf('P')}/utxos?addresses=${owner}&pageSize=100`)
  }
  const shown = (await read()).json().utxos.length
  expect(reads).toBe(1)
  spentFor = 1
  expect((await read()).json().utxos.length).toBe(shown - 1)
  expect(reads).toBe(2)
  await stage.sql(`delete from utxo where utxo = '${key}'`)
  spentFor = 2
  expect((await read()).json()).toMatchObject({
    statusCode: 503,
    message: 'outputs of these addresses that only nodes know were spent while they were read, try again',
  })
  expect(reads).toBe(3)
})

it('what is spent on a chain without an index is asked for again', async () => {
  const { stage, asked, pool } = await startShort()
  bornLate()
  const [toC] = trueUtxos().filter(
    ({ createdOnChain, consumableOnChain, consumedBy, createdAtHeight }) =>
      createdOnChain === 'X' && consumableOnChain === 'C' && consumedBy === null && createdAtHeight <= LAST_LOST,
  )
  const asksTwice = async (isIndexed: (stream: string) => boolean) => {
    const app = await serve({ store: stage.store, pool }, isIndexed)
    for (let time = 0; time < 2; time++) {
      asked.length = 0
      const shown = await listed(app, 'X', [toC?.addresses[0] as string], 'pageSize=1024')
      expect(shown.map(({ utxoId }) => utxoId)).toContain(toC?.utxoId)
    }
    return asked.length > 0
  }
  expect(await asksTwice(() => true)).toBe(false)
  expect(await asksTwice((stream) => stream !== 'testnet:C')).toBe(true)
})

/** Exported from P before X had blocks, and still waiting on X: the index knows of it, though not of its end. */
const [waiting] = trueUtxos().filter(
  ({ createdOnChain, consumableOnChain, consumedBy, createdAtTime, addresses }) =>
    createdOnChain === 'P' &&
    consumableOnChain === 'X' &&
    consumedBy === null &&
    createdAtTime < FIRST &&
    !lostExports.some((other) => other.addresses.some((address) => addresses.includes(address))),
)

it('what nodes no longer have is waited for until the index has seen what came of it', async () => {
  const { stage, pool } = await startShort()
  bornLate()
  const { store } = stage
  const told = async (letter: Letter, address: string | undefined, isIndexed?: (stream: string) => boolean) => {
    const app = await serve({ store, pool }, isIndexed)
    return (await app.inject(`${placeOf(letter)}/utxos?addresses=${address}`)).json()
  }
  /** The index behind by a block, for as long as something is asked. */
  const behind = async <T>(letter: Letter, ask: () => Promise<T>): Promise<[T, string]> => {
    const name = `testnet:${letter}`
    const [{ height }] = (await stage.sql(`select height from stream where name = '${name}'`)) as [{ height: string }]
    await stage.sql(`update stream set height = ${height} - 1 where name = '${name}'`)
    const answer = await ask()
    await stage.sql(`update stream set height = ${height} where name = '${name}'`)
    return [answer, height]
  }
  const expectBehind = ([answer, height]: [unknown, string], letter: Letter): void =>
    expect(answer).toMatchObject({
      statusCode: 503,
      message: `the index of the ${letter.toLowerCase()}-chain has not reached block ${height} of the nodes yet`,
    })
  expectBehind(await behind('P', () => told('P', owner)), 'P')
  expectBehind(await behind('P', () => told('P', waiting?.addresses[0])), 'P')
  // All that there was may have been spent in the newest block: who has nothing of then is waited for as well.
  expectBehind(await behind('P', () => told('P', others[0])), 'P')
  // Of what is spent on P nothing comes on X.
  const [onX] = await behind('P', () => told('X', owner))
  expect(onX).toMatchObject({ utxos: expect.anything() })
  // An index that was switched off is served as a whole or not at all.
  expectBehind(await behind('P', () => told('P', owner, (stream) => stream !== 'testnet:P')), 'P')
  expectBehind(await behind('X', () => told('X', owner, (stream) => stream !== 'testnet:X')), 'X')
  expect(await told('P', owner)).toMatchObject({ utxos: expect.anything() })
})
