import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, parseJsonAsWritten, WrittenNumber } from '../../../src/lib/json/json.ts'
import { losslessStringify } from '../../support/upstream/fault-answers.ts'

describe('JSON keeps every digit of integers', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    [' \n 18446744073709551615 ', 18446744073709551615n],
    ['[18446744073709551615,1]', [18446744073709551615n, 1]],
    ['{"a":18446744073709551615}', { a: 18446744073709551615n }],
    ['{"a":"18446744073709551615"}', { a: '18446744073709551615' }],
    ['{"a":"x:18446744073709551615"}', { a: 'x:18446744073709551615' }],
    [
      '{"a\\"":"\\\\",":18446744073709551615":18446744073709551616}',
      { 'a"': '\\', ':18446744073709551615': 18446744073709551616n },
    ],
    [
      '[1234567890123456.5,12345678901234567e3,0.12345678901234566]',
      [1234567890123456.5, 12345678901234567e3, 0.12345678901234566],
    ],
    ['\ufeff{"a":1}', { a: 1 }],
    ['null', null],
  ])('%s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected)
  })

  test('broken text is an error, also when it holds big integers', () => {
    for (const text of ['', '<html>', '{"a":18446744073709551615', '["', '{"a":018446744073709551615}'])
      expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  test.each([
    [
      '[1234567890123456789,"x,1234567890123456789",-1234567890123456789]',
      [1234567890123456789n, 'x,1234567890123456789', -1234567890123456789n],
    ],
    [
      '["\\\\",1234567890123456789,"\\\\\\",1234567890123456789"]',
      ['\\', 1234567890123456789n, '\\",1234567890123456789'],
    ],
    ['-1234567890123456789', -1234567890123456789n],
    ['{"a" :\t1234567890123456789 , "1234567890123456789":0}', { a: 1234567890123456789n, '1234567890123456789': 0 }],
  ])('what is quoted is no number: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected)
  })

  test('a key named __proto__ stays an own member', () => {
    const value = parseJson('{"__proto__":18446744073709551615}') as Record<string, unknown>
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBe(18446744073709551615n)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  test('deep nesting does not exhaust the stack', () => {
    const depth = 200_000
    const value = parseJson(`${'['.repeat(depth)}18446744073709551615${']'.repeat(depth)}`)
    expect(Array.isArray(value)).toBe(true)
  })

  test('agrees with what was written, for any tree', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((value) => (value === 0 ? 0 : value)),
      fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }),
    )
    const tree = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('node')), fc.dictionary(fc.string(), tie('node'))),
    })).node
    const normal = (value: unknown): unknown => {
      if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
      if (Array.isArray(value)) return value.map(normal)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]))
    }
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseJson(losslessStringify(value))).toEqual(normal(value))
      }),
      { numRuns: 300 },
    )
  })
})

test('JSON that is handed on keeps every number as it is written', () => {
  const text = (value: unknown): string => {
    if (value instanceof WrittenNumber) return value.text
    if (Array.isArray(value)) return `[${value.map(text).join(',')}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    return `{${Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${text(member)}`)}}`
  }
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(fc.bigInt(), fc.nat(), fc.integer({ min: -500, max: 500 })).map(([a, b, e]) => `${a}.${b}e${e}`),
    fc.constantFrom('-0', '1.0', '1E+2', '0e0'),
  )
  const leaf = fc.oneof(
    number,
    fc.string().map((value) => JSON.stringify(value)),
    fc.constantFrom('true', 'null'),
  )
  const tree = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('node')).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), tie('node')), { selector: ([key]) => key })
        .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    ),
  })).node
  fc.assert(
    fc.property(tree, (written) => {
      expect(text(parseJsonAsWritten(written))).toBe(written)
    }),
  )
})
