import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../../src/lib/http/retry-after.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | undefined]>([
    ['2', 2_000],
    [' 2 ', 2_000],
    ['0', 0],
    ['0.5', 500],
    ['99999999999', 86_400_000],
    ['9'.repeat(400), 86_400_000],
    ['Wed, 01 Jan 2099 00:00:00 GMT', 86_400_000],
    [['3', '9'], 3_000],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Thursday, 01-Jan-26 00:00:07 GMT', 7_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [[], undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms)
  })

  it('is cut to the longest wait, whether in seconds or as a date', () => {
    expect(parseRetryAfter('99999999999', now, 300_000)).toBe(300_000)
    expect(parseRetryAfter('Fri, 01 Jan 2027 00:00:00 GMT', now, 300_000)).toBe(300_000)
  })
})
