import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSimulation, type Simulation } from './simulation.ts'

let simulation: Simulation

beforeAll(async () => {
  simulation = await createSimulation()
})
afterAll(() => simulation?.close())

// Two hundred seeds: npm run test:simulation.
it.each([1])(
  'killed and lied to as seed %i says, it ends where a clean run ends',
  async (seed) => {
    const { faults, kills } = await simulation.run(seed)
    expect(faults).toBeGreaterThan(0)
    expect(kills).toBeGreaterThan(0)
  },
  120_000,
)
