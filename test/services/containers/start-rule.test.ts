import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { type IndexRecord, startIndex } from '../../../src/services/containers/index.ts'

const FRESH: IndexRecord = { incomplete: false, previouslyIndexed: false }
const INDEXED: IndexRecord = { incomplete: false, previouslyIndexed: true }
const on = { enabled: true, allowIncomplete: false }
const off = { enabled: false, allowIncomplete: false }
const allowed = { allowIncomplete: true }

describe('flags of the index', () => {
  it('an index from the first run on stays complete', () => {
    const first = startIndex(FRESH, on, false)
    expect(first).toEqual(INDEXED)
    expect(startIndex(first, on, true)).toEqual(INDEXED)
  })

  it('switching it off is refused, unless a gap is allowed', () => {
    expect(() => startIndex(INDEXED, off, true)).toThrow(
      new ConfigError(['running would cause index to become incomplete but incomplete indices are disabled']),
    )
    expect(startIndex(INDEXED, { ...off, ...allowed }, true)).toEqual({ incomplete: true, previouslyIndexed: true })
  })

  it('a run without it leaves a gap that the next start names', () => {
    const without = startIndex(FRESH, off, false)
    expect(without).toEqual({ incomplete: true, previouslyIndexed: false })
    expect(() => startIndex(without, on, true)).toThrow('index is incomplete but incomplete indices are disabled')
    expect(startIndex(without, { ...on, ...allowed }, true)).toEqual({ incomplete: true, previouslyIndexed: true })
  })

  it('a gap of a server that never ran otherwise is none', () => {
    expect(startIndex({ incomplete: true, previouslyIndexed: false }, on, false).previouslyIndexed).toBe(true)
    expect(() => startIndex({ incomplete: true, previouslyIndexed: true }, on, false)).toThrow(ConfigError)
  })
})
