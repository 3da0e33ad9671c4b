import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadInputError } from '../../../src/errors.ts'
import { formatBech32Address, hrpOfNetwork, parseBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { withHrp } from '../../support/avalanche/with-hrp.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'

const address = 'fuji157y46037jdtxgd3sav5axm7yv9vc2ekl2v3rn9'
const hex = 'a7895d3e3e9356643630eb29d36fc461598566df'

describe('bech32 addresses', () => {
  it('are read with and without chain, in either case', () => {
    for (const [text, chain] of [
      [address, undefined],
      [`P-${address}`, 'P'],
      [`2MKu1acJ-${address}`, '2MKu1acJ'],
      [`X-${address.toUpperCase()}`, 'X'],
    ] as const) {
      const parsed = parseBech32Address(text)
      expect(parsed).toMatchObject({ chain, hrp: 'fuji' })
      expect(Buffer.from(parsed.bytes).toString('hex')).toBe(hex)
    }
  })

  it('survive both directions', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.constantFrom('avax', 'fuji', 'custom'),
        (bytes, hrp) => {
          expect(parseBech32Address(formatBech32Address(bytes, hrp, 'P'))).toEqual({ chain: 'P', hrp, bytes })
        },
      ),
    )
    for (const { address: recorded } of Object.values(
      recordedJson<{ keys: Record<string, { address: string }> }>('network').keys,
    )) {
      const { bytes, hrp } = parseBech32Address(recorded)
      expect(formatBech32Address(bytes, hrp)).toBe(recorded)
    }
  })

  it('move to another network with their chain', () => {
    const moved = withHrp(`P-${address}`, 'avax')
    expect(moved).toMatch(/^P-avax1/)
    expect(withHrp(moved, 'fuji')).toBe(`P-${address}`)
  })

  it.each([
    ['', 'empty'],
    ['fuji1', 'without data'],
    [`-${address}`, 'without the chain its dash promises'],
    [`${address.slice(0, -1)}8`, 'with a wrong checksum'],
    [address.replace('y', 'Y'), 'of mixed case'],
    ['fuji1w508d6qejxtdg4y5r3zarvary0c5xw7kqqqqqqqqqqqq', 'of noise'],
    ['0xb3d82b1367d362de99ab59a658165aff520cbd4d', 'that are hex'],
    ['A1LQFN3A', 'that are bech32m'],
    ['a12uel5l', 'without any byte'],
    [formatBech32Address(new Uint8Array(21), 'fuji'), 'of a byte too many'],
    [formatBech32Address(new Uint8Array(19), 'fuji'), 'of a byte too few'],
  ])('%s (%s) is refused', (text) => {
    expect(() => parseBech32Address(text)).toThrow(BadInputError)
  })
})

describe('hrpOfNetwork', () => {
  it('knows the named networks and calls all others custom', () => {
    expect([1, 2, 3, 4, 5, 10, 12345, 1337].map(hrpOfNetwork)).toEqual([
      'avax',
      'cascade',
      'denali',
      'everest',
      'fuji',
      'testing',
      'local',
      'custom',
    ])
  })
})
