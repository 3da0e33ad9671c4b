import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ownAddresses } from '../../../../src/chains/avalanche/balances/own-address.ts'
import { addressList, ownAddressList } from '../../../../src/chains/avalanche/node/address-list.ts'
import { BadInputError } from '../../../../src/errors.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'

const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 })
const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex')

it('are the bytes under the prefix of the network, each once, in the order given', async () => {
  const given = fc.array(fc.tuple(bytes, fc.constantFrom('avax', 'fuji', 'custom')), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(given, fc.constantFrom('avax', 'local'), async (list, hrp) => {
      const texts = [...list, ...list.slice(0, 3)].map(([data, prefix]) => formatBech32Address(data, prefix))
      const expected = new Map(list.map(([data]) => [hexOf(data), formatBech32Address(data, hrp)]))
      const read = await ownAddresses(texts, hrp)
      expect(read.list.map(({ hex, text }) => [hex, text])).toEqual([...expected])
      expect([...read.hexes]).toEqual([...expected.keys()])
      expect(ownAddressList('X', read.list)).toEqual(addressList('X', [...expected.values()]))
    }),
  )
})

it('more than are read in one turn are all there, and repeated ones still once', async () => {
  const datas = Array.from({ length: 9_001 }, (_, at) => {
    const data = Buffer.alloc(20)
    data.writeUInt32BE(at, 7)
    return data
  })
  const texts = datas.map((data) => formatBech32Address(data, 'avax'))
  const { list, hexes } = await ownAddresses([...texts, ...texts.slice(0, 5_000)], 'fuji')
  expect(list.map(({ hex }) => hex)).toEqual(datas.map(hexOf))
  expect(list.every(({ text }, at) => text === formatBech32Address(datas[at] as Buffer, 'fuji'))).toBe(true)
  expect(hexes.size).toBe(9_001)
})

it('the same list is read for each network apart', async () => {
  const texts = [formatBech32Address(Buffer.alloc(20, 7), 'avax')]
  const [first, second, again] = [
    await ownAddresses(texts, 'avax'),
    await ownAddresses(texts, 'fuji'),
    await ownAddresses(texts, 'avax'),
  ]
  expect([first, second, again].map(({ list }) => list[0]?.text)).toEqual([
    texts[0],
    formatBech32Address(Buffer.alloc(20, 7), 'fuji'),
    texts[0],
  ])
})

it('may be in upper case; anything else is refused with the address and what is wrong with it', async () => {
  const text = formatBech32Address(Buffer.alloc(20, 9), 'fuji')
  expect((await ownAddresses([text.toUpperCase()], 'fuji')).list[0]?.text).toBe(text)
  const wrong = `${text.slice(0, -1)}${text.endsWith('q') ? 'p' : 'q'}`
  await expect(ownAddresses([text, wrong], 'fuji')).rejects.toThrow(
    new BadInputError(`address ${wrong}: not a bech32 address`),
  )
  const short = formatBech32Address(Buffer.alloc(19, 9), 'fuji')
  await expect(ownAddresses([short], 'fuji')).rejects.toThrow('the address holds 19 bytes, expected 20')
})
