import { expect, it } from 'vitest'
import { createRandom } from '../../../support/generated/random.ts'
import { playAvalanche, type Tally } from './avalanche-rounds.ts'

/** As many worlds as take a few seconds; `npm run test:money` plays them without end. */
const WORLDS = 4

it('whatever wallets ask together, X, P and C tell each of them exactly what it has, or that they cannot', async () => {
  const tally: Tally = { worlds: 0, requests: 0, numbers: 0, errors: 0, aborted: 0 }
  for (let seed = 1; seed <= WORLDS; seed++) await playAvalanche(createRandom(seed), tally)
  expect(tally.worlds).toBe(WORLDS)
  expect(tally.numbers).toBeGreaterThan(200)
})
