import { parseArgs } from 'node:util'
import { createSimulation } from '../indexer/simulation.ts'
import { embeddedPlaces, serverPlaces } from '../indexer/simulation-places.ts'

/*
 * Seeded runs of a real indexer process over a faulty upstream, killed at random moments: the final state has to be that
 * of a clean run.
 *   npm run test:simulation -- [--runs 200] [--from 1] [--server]
 * On the embedded database, or with --server on a Postgres that is started beside it.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    server: { type: 'boolean', default: false },
  },
})
const [from, runs] = [Number(values.from), Number(values.runs)]
const simulation = await createSimulation(await (values.server ? serverPlaces() : embeddedPlaces()))
let kills = 0
let faults = 0
let bad = 0
for (let seed = from; seed < from + runs; seed++) {
  try {
    const done = await simulation.run(seed)
    kills += done.kills
    faults += done.faults
    process.stdout.write(
      `seed ${seed}: same state, ${done.kills} kills, ${done.faults} faults, ${Math.round(done.ms)} ms\n`,
    )
  } catch (error) {
    bad += 1
    process.stdout.write(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
// What went wrong stays to be looked at; a server's databases go with it.
if (bad === 0 || values.server) await simulation.close()
process.stdout.write(`${runs - bad} of ${runs} runs ended like the clean one; ${kills} kills, ${faults} faults\n`)
process.stdout.write(`ratio simulation ${(runs - bad) / runs} goal >= 1\n`)
process.exit(bad === 0 ? 0 : 1)
