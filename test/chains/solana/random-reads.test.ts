import { expect, it } from 'vitest'
import { createRandom } from '../../support/generated/random.ts'
import { playSolana, type SolanaTally } from './random-reads.ts'

it('whatever owners, mints and troubles: a number is what the chain says, also of an NFT that got siblings', async () => {
  const tally: SolanaTally = { sources: 0, numbers: 0, errors: 0 }
  for (let seed = 1; seed <= 40; seed++) await playSolana(createRandom(seed), tally)
  expect(tally.numbers).toBeGreaterThan(500)
})
