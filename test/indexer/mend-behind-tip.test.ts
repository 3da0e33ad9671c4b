import { pino } from 'pino'
import { expect, it } from 'vitest'
import { mendBehindTip } from '../../src/indexer/runner/mend-behind-tip.ts'
import { eventually } from '../support/waiting/eventually.ts'

it('what is stored is worked on while the stream stands at the tip, piece by piece, until it ends', async () => {
  const ended = new AbortController()
  const state = { isAtTip: false, pieces: 0 }
  const work = mendBehindTip(
    { mend: async () => ++state.pieces && 1 },
    { isAtTip: () => state.isAtTip, pollMs: 1, logger: pino({ level: 'silent' }) },
    ended.signal,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(state.pieces).toBe(0)
  state.isAtTip = true
  await eventually(async () => expect(state.pieces).toBeGreaterThan(3))
  ended.abort()
  await work
  const { pieces } = state
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(state.pieces).toBe(pieces)
})

it('a piece that fails is said in the log, and ends nothing but with the stream', async () => {
  const ended = new AbortController()
  const said: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void said.push(line) })
  const mend = async () => Promise.reject(new Error('the database is away'))
  const work = mendBehindTip({ mend }, { isAtTip: () => true, pollMs: 1, logger }, ended.signal)
  await eventually(async () => expect(said.join()).toContain('the database is away'))
  // Many looks later: what has failed is left alone for half a minute.
  await new Promise((resolve) => setTimeout(resolve, 50))
  ended.abort()
  await work
  expect(said).toHaveLength(1)
})
