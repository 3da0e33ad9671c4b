import { expect, it } from 'vitest'
import { MOST_PARAMS } from '../../../../../src/api/node/forward/call.ts'
import { sourceOf } from '../../../../../src/api/node/forward/nodes/source-chains.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'

it('the source chain is looked for in params as long as any that a node takes, not in millions of bytes', () => {
  const of = (bytes: number): string | undefined =>
    sourceOf({ rule: ruleOf('platform.getUTXOs'), params: Buffer.from('{"sourceChain":"X"}'.padEnd(bytes)) })
  expect([of(0), of(MOST_PARAMS), of(MOST_PARAMS + 1)]).toEqual(['X', 'X', undefined])
})

it.each([
  ['{"sourceChain":"X","sourceChain":"C"}', 'C'],
  ['{"sourceChain":"X","SOURCECHAIN":"C"}', 'C'],
  ['{"source\\u0043hain":"X"}', 'X'],
  ['[{"sourceChain":"X"}]', 'X'],
  ['{"sourceChain":"X","sourceChain":null}', 'X'],
  ['{"note":{"sourceChain":"X"}}', undefined],
  ['{"note":"\\"sourceChain\\":\\"X\\""}', undefined],
  ['{"sourceChain":"X","sourceChain":1}', undefined],
])('of %s a node reads %s', (params, name) => {
  expect(sourceOf({ rule: ruleOf('platform.getUTXOs'), params: Buffer.from(params) })).toBe(name)
})
