import { expect, it } from 'vitest'
import { logRange, rangeStart } from '../../../../../src/api/node/evm/read/finality.ts'

const rangeOf = (filter: string) => logRange(Buffer.from(`[${filter}]`))
const UP_TO_2 = { from: 1n, toNewest: false, finality: { kind: 'immutable', block: 2n } }

it.each([
  ['{"fromBlock":"0x1","toBlock":"0x2","blockHash":null}', UP_TO_2],
  [`{"blockHash":"0x${'ab'.repeat(32)}","fromBlock":"0x1","toBlock":"0x2","BlockHash":null}`, UP_TO_2],
  ['{"fromBlock":"0x1","toBlock":null}', { from: 1n, toNewest: true, finality: { kind: 'tip' } }],
  ['{"fromBlock":"0x1","toBlock":"0x2","toBlock":null}', { from: 1n, toNewest: true, finality: { kind: 'tip' } }],
])('what is null in a filter is not there, as for nodes: %s', (filter, range) => {
  expect(rangeOf(filter)).toEqual(range)
})

it('names are read in any letters and escapes, as nodes read them', () => {
  const escaped = Array.from('FROMBLOCK', (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
  expect(rangeOf(`{"${escaped}":"0x1","toBlock":"0x2"}`)).toEqual(UP_TO_2)
})

it('a filter that is no JSON is left to the node: a large call is not validated here', () => {
  expect(rangeStart(Buffer.from('[{"fromBlock":"0x1","toBlock":"0x2","\\u00zz":[]}]'))).toBeUndefined()
})
