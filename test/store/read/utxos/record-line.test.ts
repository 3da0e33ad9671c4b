import { expect, it } from 'vitest'
import { createLineReader, lineOf } from '../../../../src/store/read/utxos/record-line.ts'
import { openMemoryStore } from '../../../support/store/store.ts'

const MOST = 2n ** 64n - 1n

it('columns are read back as they were, first and last, present and null', async () => {
  let query = async (_statement: string): Promise<string> => ''
  const store = await openMemoryStore((pool) => {
    query = async (statement) => {
      const client = await pool.connect()
      const { rows } = await client.query<{ line: string }>(statement, [])
      client.release()
      return rows[0]?.line ?? ''
    }
  })
  await store.open()
  const uuid = '0b0c0d0e-0000-4000-8000-00000000ffff'
  const columns = [
    `'\\xab00'::bytea`,
    'null',
    '0',
    `${MOST}::numeric`,
    '4294967295::int8',
    `'${uuid}'::uuid`,
    `''::bytea`,
  ]
  const reader = createLineReader()
  reader.begin(await query(`select ${lineOf([...columns, 'null'])} as line`))
  expect([reader.bytes(), reader.number(), reader.bigint(), reader.bigint()]).toEqual(['ab00', undefined, 0n, MOST])
  expect([reader.number(), reader.text(), reader.bytes(), reader.bytes()]).toEqual([4294967295, uuid, '', undefined])
  reader.begin(
    await query(`select ${lineOf(['null', 'null', '7::int2', 'null', '999999999999999', 'null', '1'])} as line`),
  )
  expect([reader.number(), reader.bigint(), reader.number()]).toEqual([undefined, undefined, 7])
  reader.skip()
  expect([reader.bigint(), reader.number(), reader.number()]).toEqual([999_999_999_999_999n, undefined, 1])
  await store.close()
})

it('whole numbers of any length are read to the last digit', () => {
  const reader = createLineReader()
  const all = [999_999_999_999_999n, 9_007_199_254_740_993n, 90_071_992_547_409_931n]
  reader.begin(`(${all.join()})`)
  expect(all.map(() => reader.bigint())).toEqual(all)
})

it('what is no whole number is an error, and so is what is missing', () => {
  const reader = createLineReader()
  for (const text of ['-5', '1.5', 'NaN', '"\\\\xab"']) {
    reader.begin(`(${text},3)`)
    expect(() => reader.number()).toThrow('no whole number')
    reader.begin(`(${text},3)`)
    expect(() => reader.bigint()).toThrow('no whole number')
  }
  reader.begin('(,3)')
  expect(() => reader.required(reader.number())).toThrow('missing')
})
