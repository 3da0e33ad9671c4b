import { expect, it, onTestFinished } from 'vitest'
import { createSimulation } from './simulation.ts'
import { embeddedPlaces, serverPlaces } from './simulation-places.ts'

// Two hundred seeds: npm run test:simulation.
it.each([
  ['the embedded database', embeddedPlaces, 1],
  // With containers that changed places at the end of a page, which once passed for a gap of the index.
  ['a server', serverPlaces, 86],
] as const)(
  'killed and lied to as a seed says, it ends on %s where a clean run ends',
  async (_, open, seed) => {
    const places = await open()
    onTestFinished(places.close)
    const simulation = await createSimulation(places)
    const { faults, kills } = await simulation.run(seed)
    expect(faults).toBeGreaterThan(0)
    expect(kills).toBeGreaterThan(0)
  },
  240_000,
)
