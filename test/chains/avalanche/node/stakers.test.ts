import { expect, it, onTestFinished } from 'vitest'
import { createStakerDirectory } from '../../../../src/chains/avalanche/node/stakers.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { gate } from '../../../support/waiting/gate.ts'

const NODE = 'NodeID-a'
/** The stake that is listed is named after the answer's place among all. */
const createLists = () => {
  let answers = 0
  return () => {
    answers += 1
    const stake = { txID: `${answers}`, endTime: '9', weight: '5' }
    return { validators: [{ nodeID: NODE, ...stake, delegators: [stake] }] }
  }
}

/** A directory whose second reading of a list waits for the gate. */
async function directory() {
  const held = gate()
  const server = await startFaultServer({
    answer: createLists(),
    faults: ({ number }) => (number === 2 ? { held: held.opened } : {}),
  })
  const pool = createUpstreamPool('p', [{ url: server.url }], { ...TEST_LIMITS, hedgeMinMs: 0 })
  onTestFinished(async () => {
    held.open()
    await pool.close()
    await server.close()
  })
  const clock = { ms: 1_000_000 }
  const stakers = createStakerDirectory(
    pool,
    () => 1,
    () => clock.ms,
  )
  return { stakers, clock, held, asked: (count: number) => eventually(() => expect(server.stats.requests).toBe(count)) }
}

const KINDS = [
  { kind: 'validators', read: (of: ReturnType<typeof createStakerDirectory>) => of.validators({}) },
  { kind: 'delegators', read: (of: ReturnType<typeof createStakerDirectory>) => of.delegators(NODE, {}) },
]

it.each(KINDS)(
  '$kind that were being read when there was news are neither kept nor told to later calls',
  async (one) => {
    const { stakers, clock, held, asked } = await directory()
    const read = async () => (await one.read(stakers))[0]?.txId
    expect(await read()).toBe('1')
    clock.ms += 60_001
    const old = read()
    await asked(2)
    expect(stakers.isNews(new Map([['output', 1]]))).toBe(true)
    expect(await read()).toBe('2')
    held.open()
    expect(await old).toBe('3')
    expect(await read()).toBe('2')
    await asked(3)
  },
)
