import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { startStage } from '../../../indexer/stage.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { everyAddress, type Letter, ownerLists, placeOf } from '../recorded-truth.ts'
import { between, loseC, serveBehind } from './c-behind.ts'
import { listed } from './short-index.ts'
import { serve } from './x-born-late.ts'

/*
 * To read C for the first time takes far longer than P and X. What these share with it is told by nodes meanwhile, and
 * has to be what the whole index says.
 */
const addresses = everyAddress(trueUtxos())
const LETTERS = ['P', 'X'] as const

const balancesOf = async (app: FastifyInstance, letter: Letter, owners: string) => {
  const answer = await app.inject(`${placeOf(letter)}/balances?addresses=${owners}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.body
}

/** All that P and X say of now. */
async function told(app: FastifyInstance) {
  const all: unknown[] = []
  for (const letter of LETTERS) {
    all.push(await listed(app, letter, addresses, 'pageSize=1024'))
    all.push(await Promise.all(ownerLists(addresses).map((owners) => balancesOf(app, letter, owners))))
    for (const sortBy of ['timestamp', 'amount'])
      all.push(await listed(app, letter, addresses, `sortBy=${sortBy}&sortOrder=asc&minUtxoAmount=2&pageSize=97`))
  }
  return all
}

const waiting = between('C', 'P').filter(({ consumedBy }) => consumedBy === null)

it('P and X are served as by the whole index while C is read, has not begun, or is left out', async () => {
  const stage = await startStage({ name: 'testnet' })
  await stage.caughtUp()
  await stage.indexer.stop()
  const whole = await told(await serve(stage))
  expect(waiting.length).toBeGreaterThan(0)
  expect(between('P', 'C').some(({ consumedBy }) => consumedBy !== null)).toBe(true)
  expect(await told(await serveBehind(stage))).toEqual(whole)
  const heights = [...between('C', 'P'), ...between('C', 'X')].map(({ createdAtHeight }) => createdAtHeight)
  for (const height of [heights.sort((a, b) => a - b)[heights.length >> 1] as number, 0]) {
    await loseC(stage, height)
    expect(await told(await serve(stage))).not.toEqual(whole)
    expect(await told(await serveBehind(stage))).toEqual(whole)
  }
  expect(await told(await serveBehind(stage, false))).toEqual(whole)
  expect(await told(await serveBehind(stage, false, (stream) => !stream.endsWith(':C')))).toEqual(whole)
})

it('what others share with C is told by the index alone, also where no node answers', async () => {
  const stage = await startStage({ name: 'testnet' })
  await stage.caughtUp()
  await stage.indexer.stop()
  const app = await serve(stage)
  for (const node of stage.nodes) await node.stop()
  const [shared] = between('P', 'C').filter(({ consumedBy }) => consumedBy === null)
  const owner = shared?.addresses[0] as string
  const ask = (path: string) => app.inject(`${placeOf('C')}/${path}?addresses=${owner}`)
  const { utxos } = (await ask('utxos')).json()
  expect(utxos).toContainEqual(expect.objectContaining({ utxoId: shared?.utxoId }))
  expect((await ask('balances')).statusCode).toBe(200)
})
