import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { readAddresses } from '../../../src/api/data/primary/addresses.ts'
import { queryValidator } from '../../../src/api/data/query-validator.ts'
import { pagingQuery, unixSeconds } from '../../../src/api/data/schemas.ts'

const schema = Type.Object({
  ...pagingQuery(),
  at: Type.Optional(unixSeconds('Time.')),
  least: Type.Number({ minimum: 0, default: 0 }),
})
const check = queryValidator({ schema, method: 'GET', url: '/', httpPart: 'querystring' })
const read = (query: Record<string, unknown>): unknown => check({ ...query })

it.each(['', ' ', '\t', '0x10', '0b1', '1_000', 'Infinity', 'NaN', '1e', '.5', '5.', 'null', 'true'])(
  'a number written as %j is refused: a blank would be the time 0, when nobody owned anything',
  (text) => {
    for (const name of ['pageSize', 'at']) {
      expect(read({ [name]: text })).toMatchObject({
        error: { validation: [{ instancePath: `/${name}`, message: 'must be integer' }] },
      })
    }
    expect(read({ least: text })).toMatchObject({ error: { validation: [{ instancePath: '/least' }] } })
  },
)

it('numbers as people write them are taken', () => {
  expect(read({ pageSize: '7', at: '1795174541', least: '1.5' })).toEqual({
    value: { pageSize: 7, at: 1_795_174_541, least: 1.5 },
  })
  // A plus sign in a query is a blank.
  expect(read({ pageSize: ' 7', least: '1e3' })).toEqual({ value: { pageSize: 7, least: 1_000 } })
  expect(read({ unknown: 'x' })).toEqual({ value: { unknown: 'x', pageSize: 10, least: 0 } })
})

it('too many addresses: only where there is another way is it told', () => {
  const addresses = [
    'fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7',
    'P-fuji1dgq822vypejk36yaeud74sv60rx4jzezeq7kqk',
    'X-fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7',
  ]
  expect(readAddresses(addresses, 2)).toHaveLength(2)
  expect(() => readAddresses(addresses, 1)).toThrow(/^addresses holds 2 addresses, at most 1 are taken$/)
  expect(() => readAddresses(addresses, 1, 'POST takes more')).toThrow(/at most 1 are taken; POST takes more$/)
})

it('more addresses than could be meant are refused unread, however often one is written', () => {
  const bare = 'fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7'
  expect(readAddresses(Array(5_000).fill(` ${bare}`).join(), 1)).toHaveLength(1)
  const rubbish = Array.from({ length: 9 }, (_, at) => `none${at}`)
  expect(() => readAddresses(rubbish, 1)).toThrow(/^addresses holds 9 addresses, at most 1 are taken$/)
  expect(() => readAddresses(rubbish.slice(0, 8), 1)).toThrow('Invalid address format: none0')
})

it('addresses come with the letter of a chain, its id, or bare; other prefixes are mistakes', () => {
  const bare = 'fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7'
  const prefixes = ['P-', 'X-', 'C-', 'p-', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm-', '']
  expect(readAddresses(prefixes.map((prefix) => prefix + bare).join(), 1)).toHaveLength(1)
  for (const prefix of ['Z-', 'PX-', '-', 'P-P-', 'avax:']) {
    expect(() => readAddresses(prefix + bare, 1)).toThrow(`Invalid address format: ${prefix}${bare}`)
  }
})

it('addresses may be a key that is repeated, as some clients write lists', () => {
  const list = Type.Object({ addresses: Type.Optional(Type.String()), network: Type.Optional(Type.String()) })
  const lists = queryValidator({ schema: list, method: 'GET', url: '/', httpPart: 'querystring' })
  expect(lists({ addresses: ['a', 'b,c'] })).toEqual({ value: { addresses: 'a,b,c' } })
  expect(lists({ network: ['a', 'b'] })).toMatchObject({ error: { validation: [{ instancePath: '/network' }] } })
})
