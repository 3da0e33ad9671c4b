import { describe, expect, it } from 'vitest'
import { isEvmMediaType } from '../../../../src/api/node/http/media-type.ts'

describe('content types of EVM endpoints', () => {
  it.each([
    'application/json',
    ' Application/JSON ; charset=utf-8',
    'application/json-rpc;',
    'application/jsonrequest; a="b;a=c" ; ',
    'application/json; a=b; c=d',
    'application/json; a=b; A="b"',
  ])('%s is taken', (type) => {
    expect(isEvmMediaType(type)).toBe(true)
  })

  it.each([undefined, '', 'text/plain', 'application/json; x', 'application/json; x="a', 'application/json; a=b; A=c'])(
    '%s is not',
    (type) => {
      expect(isEvmMediaType(type)).toBe(false)
    },
  )

  // With two runs of spaces side by side these took minutes, and nobody else was served.
  it.each([
    ['spaces behind a parameter', `application/json;a=b${' '.repeat(125_000)}x`],
    ['spaces behind a semicolon', `application/json;${' '.repeat(125_000)}x`],
    ['a long value', `application/json;a=${'b'.repeat(125_000)}"`],
    ['backslashes', `application/json;a="${'\\'.repeat(125_000)}`],
  ])('that are as long as headers may be are refused without delay: %s', (_what, type) => {
    expect(isEvmMediaType(type)).toBe(false)
  })

  it('a long well-formed one is taken without delay', () => {
    expect(isEvmMediaType(`application/json;a=${'b'.repeat(125_000)}`)).toBe(true)
  })
})
