import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createBlockSource } from '../../../src/indexer/primary/sources/block-source.ts'
import { xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const [, first] = recordedLines<{ hex: string }>('x-blocks')
const { height, id } = xFormat.decode(Buffer.from((first?.hex ?? '').slice(2), 'hex').subarray(0, -4))

/** A node without an index, and one with it that is being started anew. */
async function follow() {
  const without = await startReplayNode({ faults: { indexOff: true } })
  const anew = await startReplayNode({ faults: { dropAll: true } })
  const pool = createUpstreamPool('recorded', [{ url: without.url }, { url: anew.url }], TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([without.stop(), anew.stop()])
  })
  let now = 1_000
  const source = createBlockSource({
    pool,
    format: xFormat,
    heights: createHeightApi(pool, xFormat),
    logger: pino({ level: 'silent' }),
    pageBlocks: 8,
    clock: () => now,
  })
  return {
    anew,
    wait: (ms: number) => {
      now += ms
    },
    async read() {
      const { blocks } = await source.read({ height, id } as never, new AbortController().signal)
      return blocks.map(({ container }) => container !== undefined)
    },
  }
}

it('a node that may have an index is waited for while it is started anew', async () => {
  const { anew, read, wait } = await follow()
  await expect(read()).rejects.toThrow('may have it and did not answer')
  wait(119_000)
  await expect(read()).rejects.toThrow('may have it and did not answer')
  anew.faults.dropAll = false
  const wrapped = await eventually(read)
  expect(wrapped.length).toBeGreaterThan(1)
  expect(wrapped).not.toContain(false)
})

it('so is one that had an index and answers, while it is started anew, that it has none: it makes its chains before their indexes', async () => {
  const { anew, read, wait } = await follow()
  anew.faults.dropAll = false
  expect(await eventually(read)).not.toContain(false)
  anew.faults.indexOff = true
  await expect(read()).rejects.toThrow('may have it and did not answer')
  wait(119_000)
  await expect(read()).rejects.toThrow('may have it and did not answer')
  anew.faults.indexOff = false
  expect(await eventually(read)).not.toContain(false)
  // One whose index was switched off is not waited for for ever.
  anew.faults.indexOff = true
  await expect(read()).rejects.toThrow('may have it and did not answer')
  wait(120_000)
  expect(await read()).not.toContain(true)
})

it('so is one that is started for the first time: it says that it has not made the chain yet', async () => {
  const { anew, read } = await follow()
  Object.assign(anew.faults, { dropAll: false, indexOff: true, bootstrapping: true })
  await expect(read()).rejects.toThrow('may have it and did not answer')
  Object.assign(anew.faults, { indexOff: false, bootstrapping: false })
  expect(await eventually(read)).not.toContain(false)
  // What it said is not what it goes on saying.
  const again = await follow()
  Object.assign(again.anew.faults, { dropAll: false, indexOff: true, bootstrapping: true })
  await expect(again.read()).rejects.toThrow('may have it and did not answer')
  again.wait(120_000)
  expect(await again.read()).not.toContain(true)
})

it('one that has started and has no index is believed at once', async () => {
  const { anew, read } = await follow()
  Object.assign(anew.faults, { dropAll: false, indexOff: true })
  expect(await read()).not.toContain(true)
  expect(anew.counters.methods['info.isBootstrapped']).toBe(1)
})

it('one that stays away is not: blocks come by height', async () => {
  const { read, wait } = await follow()
  await expect(read()).rejects.toThrow('may have it and did not answer')
  wait(120_000)
  const wrapped = await read()
  expect(wrapped.length).toBeGreaterThan(1)
  expect(wrapped).not.toContain(true)
})

it('one that hangs is waited for from when it was asked, not from when its call was given up', async () => {
  const { read, wait } = await follow()
  const hanging = read()
  wait(30_000)
  await expect(hanging).rejects.toThrow('may have it and did not answer')
  wait(90_000)
  expect(await read()).not.toContain(true)
})
