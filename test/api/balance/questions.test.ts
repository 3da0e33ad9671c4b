import { expect, it } from 'vitest'
import { createQuestions } from '../../../src/api/balance/questions.ts'

const MIB = 1_048_576

it('answers that are kept take no more than there is room for, however many ways there are to write one question', () => {
  const questions = createQuestions(() => ({ ok: true, body: { data: [] } }))
  const bodies = Array.from({ length: 100 }, (_, blanks) => Buffer.from(`{}${' '.repeat(blanks)}`))
  const event = 'x'.repeat(MIB)
  for (const body of bodies) {
    const asked = questions.ask(body, {})
    if (!asked.ok) throw new Error('refused')
    questions.bytesOf(asked.question, [event], { until: 0, replaced: 0 })
  }
  const kept = bodies.flatMap((body) => questions.known(body)?.answer?.bytes ?? [])
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.reduce((sum, bytes) => sum + bytes.length, 0)).toBeLessThanOrEqual(32 * MIB)
})
