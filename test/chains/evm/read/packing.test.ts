import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unpackBalances, unpackCalls } from '../../../../src/chains/evm/read/packing.ts'
import { BadAnswerError } from '../../../../src/errors.ts'

const owners = ['0x1', '0x2', '0x3']
const tokens = ['0xa', '0xb']
const query = { owners, tokens, gas: 1, answerBytes: 100 }
/** version, number 5, fingerprint 6, chain 7, two tokens done */
const head = `0x01${[5, 6, 7].map((value) => value.toString(16).padStart(16, '0')).join('')}0002`

it('reads values, single failures and failures from an owner on', () => {
  const answer = unpackBalances(`${head}000002${'000101'}${'02020100'}000102${'00ff'}${'01fd'}`, query)
  expect(answer).toEqual({
    block: { number: 5n, fingerprint: 6n },
    chainId: 7n,
    done: 2,
    amounts: [
      { owner: 0, token: 0, value: 1n },
      { owner: 2, token: 0, value: 256n },
    ],
    failed: [
      { owner: 0, token: 1 },
      { owner: 1, token: 1 },
      { owner: 2, token: 1 },
    ],
    unasked: [],
    traits: [],
  })
})

it('reads that nobody has any', () => {
  expect(unpackBalances(head, query)).toMatchObject({ done: 2, amounts: [], failed: [], unasked: [], traits: [] })
})

it('does not take those behind an owner for whom gas was burnt for failed', () => {
  const answer = unpackBalances(`${head}000002${'000101'}${'01fe'}`, query)
  expect(answer.failed).toEqual([{ owner: 1, token: 0 }])
  expect(answer.unasked).toEqual([{ owner: 2, token: 0 }])
})

it('reads decimals and multipliers behind the owners', () => {
  const answer = unpackBalances(
    `${head}000003${'000101'}${'fe0106'}${'ff080de0b6b3a7640000'}000102${'020107'}${'ffff'}`,
    query,
  )
  expect(answer.traits).toEqual([
    { token: 0, told: { decimals: 6, multiplier: 10n ** 18n } },
    { token: 1, told: { multiplier: null } },
  ])
  expect(answer.amounts).toEqual([
    { owner: 0, token: 0, value: 1n },
    { owner: 2, token: 1, value: 7n },
  ])
  expect(answer.failed).toEqual([])
})

it('reads the largest value, what follows a multiplier that failed, decimals alone, and a value at the very end', () => {
  const most = 'ff'.repeat(32)
  const answer = unpackBalances(`${head}000002${`0020${most}`}${'ffff'}000102${'010107'}${'fe0112'}`, query)
  expect(answer.amounts).toEqual([
    { owner: 0, token: 0, value: 2n ** 256n - 1n },
    { owner: 1, token: 1, value: 7n },
  ])
  expect(answer.traits).toEqual([
    { token: 0, told: { multiplier: null } },
    { token: 1, told: { decimals: 18 } },
  ])
  expect(unpackBalances(`${head}000001${'020105'}`, query).amounts).toEqual([{ owner: 2, token: 0, value: 5n }])
})

it.each([
  ['nothing', '0x'],
  ['no string', { error: 'x' }],
  ['another version', head.replace('0x01', '0x02')],
  ['a short head', head.slice(0, -2)],
  ['half a byte', `${head}0`],
  ['what is no number', `${head}zz`],
  ['ten megabytes', `${head}${'00'.repeat(10_000_000)}`],
  ['a cut record', `${head}000001`],
  ['a cut value', `${head}0000010020ff`],
  ['a value of 33 bytes', `${head}0000010021${'ff'.repeat(33)}`],
  ['an empty value', `${head}0000010000`],
  ['an unknown owner', `${head}000001030101`],
  ['an owner twice', `${head}000002000101000101`],
  ['an unfinished token', `${head}000201000101`],
  ['a token twice', `${head}000001000101000001000101`],
  ['decimals before an owner', `${head}000002fe0106000101`],
  ['decimals behind a multiplier', `${head}000002fffffe0106`],
  ['decimals of two bytes', `${head}000001fe020006`],
  ['decimals that failed', `${head}000001feff`],
  ['cut decimals', `${head}000001fe01`],
  ['a multiplier before an owner', `${head}000002ffff000101`],
  ['two multipliers', `${head}000002ffffffff`],
  ['a multiplier out of bounds', `${head}000001ff0107`],
  ['a multiplier that burnt gas', `${head}000001fffe`],
  ['more tokens than asked', `${head.slice(0, -4)}0009000001000101`],
  ['more tokens than asked, none of them held', `${head.slice(0, -4)}0003`],
])('refuses %s', (_, hex) => {
  expect(() => unpackBalances(hex, query)).toThrow(BadAnswerError)
})

it('never accepts bytes that it would not write, and never reads beyond them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (tail) => {
      const hex = head + Buffer.from(tail).toString('hex')
      try {
        for (const { owner, token, value } of unpackBalances(hex, query).amounts) {
          expect(owner).toBeLessThan(owners.length)
          expect(token).toBeLessThan(tokens.length)
          expect(value).toBeLessThan(2n ** 256n)
        }
      } catch (error) {
        expect(error).toBeInstanceOf(BadAnswerError)
      }
    }),
  )
})

it('reads calls, and refuses bytes left over or missing', () => {
  const calls = { calls: [0, 1].map(() => ({ to: '0x1', data: '0x' })), gas: 1, keepBytes: 10, answerBytes: 100 }
  expect(unpackCalls(`${head}0002abcdffff`, calls).results).toEqual([Buffer.from('abcd', 'hex'), undefined])
  expect(() => unpackCalls(`${head}0002abcdffff00`, calls)).toThrow(BadAnswerError)
  expect(() => unpackCalls(`${head}0002abcd`, calls)).toThrow(BadAnswerError)
  expect(() => unpackCalls(`${head}ffff0003abcd`, calls)).toThrow(BadAnswerError)
  expect(() => unpackCalls(`${head.slice(0, -4)}0003${'ffff'.repeat(3)}`, calls)).toThrow(BadAnswerError)
})
