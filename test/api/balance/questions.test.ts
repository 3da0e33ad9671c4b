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

it('an answer of which one event has changed is written anew, an unchanged one is the same bytes and lasts longer', () => {
  const questions = createQuestions(() => ({ ok: true, body: { data: [] } }))
  const asked = questions.ask(Buffer.from('{}'), {})
  if (!asked.ok) throw new Error('refused')
  const bytesOf = (events: string[], until: number): Buffer =>
    questions.bytesOf(asked.question, events, { until, replaced: 0 })
  const first = bytesOf(['same\n', 'old\n'], 1)
  expect(bytesOf(['same\n', 'old\n'], 2)).toBe(first)
  expect(questions.known(Buffer.from('{}'))?.answer?.freshness.until).toBe(2)
  for (const events of [
    ['same\n', 'new\n'],
    ['same\n', 'new\n', 'more\n'],
    ['same\n', 'new\n'],
    ['other\n', 'new\n'],
  ]) {
    expect(bytesOf(events, 3).toString()).toBe(events.join(''))
    expect(questions.known(Buffer.from('{}'))?.answer?.bytes.toString()).toBe(events.join(''))
  }
})

it('a long body is not kept, nor one that was refused', () => {
  const questions = createQuestions((json) =>
    json === 'wrong' ? { ok: false, issues: [] } : { ok: true, body: { data: [] } },
  )
  const long = Buffer.from(' '.repeat(16 * 1024 + 1))
  const longest = long.subarray(1)
  const asked = questions.ask(long, {})
  expect(asked.ok && questions.bytesOf(asked.question, ['event'], { until: 0, replaced: 0 }).toString()).toBe('event')
  expect(questions.ask(longest, {}).ok).toBe(true)
  expect(questions.ask(Buffer.from('wrong'), 'wrong')).toEqual({ ok: false, issues: [] })
  expect([long, longest, Buffer.from('wrong')].map((body) => questions.known(body) !== undefined)).toEqual([
    false,
    true,
    false,
  ])
})
