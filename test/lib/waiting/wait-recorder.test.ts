import { expect, it } from 'vitest'
import { createWaitRecorder } from '../../../src/lib/waiting/wait-recorder.ts'

it('adds up what was waited for, the longest total first', () => {
  const waits = createWaitRecorder()
  waits.record(['upstream', 'a'], 3)
  waits.record(['store'], 4)
  waits.record(['upstream', 'a'], 2)
  expect(waits.waits()).toEqual([
    { path: ['upstream', 'a'], count: 2, total: 5, longest: 3 },
    { path: ['store'], count: 1, total: 4, longest: 4 },
  ])
})

it('tells a thousand things apart and counts the others together: pools of callers come and go', () => {
  const waits = createWaitRecorder()
  for (let pool = 0; pool < 1_500; pool += 1) waits.record(['upstream', `made up ${pool}`], 1)
  waits.record(['upstream', 'made up 7'], 1)
  const told = waits.waits()
  expect(told).toHaveLength(1_001)
  expect(told[0]).toEqual({ path: ['others'], count: 500, total: 500, longest: 1 })
  expect(told[1]).toMatchObject({ path: ['upstream', 'made up 7'], count: 2 })
})
