import { createRandom } from '../../../support/generated/random.ts'
import { playAvalanche } from './avalanche-rounds.ts'

/**
 * `npm run test:money -- <seconds> <first seed>`: plays made-up worlds until the time is over, and says which seeds went
 * wrong and how. Ends with 1 when one did.
 */
const [seconds = 60, first = Date.now() % 1_000_000_007] = process.argv.slice(2).map(Number)
const tally = { worlds: 0, requests: 0, numbers: 0, errors: 0, aborted: 0 }
const end = Date.now() + seconds * 1_000
for (let seed = first; Date.now() < end; seed++) {
  try {
    await playAvalanche(createRandom(seed), tally)
  } catch (error) {
    console.log(`seed ${seed}: ${(error as Error).message.slice(0, 4_000)}`)
    process.exitCode = 1
  }
}
console.log(`seeds from ${first} on: ${JSON.stringify(tally)}`)
