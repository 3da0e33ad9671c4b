import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readBounded } from '../../../src/lib/http/read-bounded.ts'

const tooLong = (): Error => new Error('too long')
const bodyOf = (...parts: string[]): Readable => Readable.from(parts.map((part) => Buffer.from(part)))

it('a body is read whole, also where a character lies in two pieces, up to as many bytes as it may have', async () => {
  const [first, second] = [Buffer.from('aé').subarray(0, 2), Buffer.from('aé').subarray(2)]
  expect(await readBounded(Readable.from([first, second]), 3, tooLong)).toBe('aé')
  expect(await readBounded(null, 3, tooLong)).toBe('')
})

it('a body that is longer than it may be is not read to its end', async () => {
  for (const most of [1, 3]) await expect(readBounded(bodyOf('ab', 'cd'), most, tooLong)).rejects.toThrow('too long')
  const body = bodyOf('ab', 'cd', 'ef')
  await expect(readBounded(body, 3, tooLong)).rejects.toThrow('too long')
  expect(body.destroyed).toBe(true)
})
