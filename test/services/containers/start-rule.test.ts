import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { allowStart } from '../../../src/services/containers/index.ts'

const on = { enabled: true, allowIncomplete: false }
const off = { enabled: false, allowIncomplete: false }

describe('flags of the index', () => {
  it('switching it off is refused with the text of a node and the flags to choose from, unless it is allowed', () => {
    const refusal = () => allowStart(true, off)
    expect(refusal).toThrow(ConfigError)
    expect(refusal).toThrow(/^running would cause index to become incomplete but incomplete indices are disabled: /)
    expect(refusal).toThrow(/--index-enabled.*--index-allow-incomplete/)
    expect(() => allowStart(true, { ...off, allowIncomplete: true })).not.toThrow()
  })

  it('without an earlier index, and with the index on, every start is fine', () => {
    for (const flags of [on, off]) expect(() => allowStart(false, flags)).not.toThrow()
    expect(() => allowStart(true, on)).not.toThrow()
  })
})
