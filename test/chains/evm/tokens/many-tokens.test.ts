import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import type { EvmBalances } from '../../../../src/chains/capabilities.ts'
import { type EvmLimits, evmLimits } from '../../../../src/chains/evm/index.ts'
import { callReaderCode } from '../../../../src/chains/evm/read/reader-code.ts'
import { createFoundTokens, shareOf } from '../../../../src/chains/evm/tokens/found-tokens.ts'
import { DeadlineError } from '../../../../src/errors.ts'
import { createRpcPool } from '../../../support/upstream/rpc-pool.ts'
import { gate } from '../../../support/waiting/gate.ts'
import {
  account,
  burner,
  chain,
  noDiscovery,
  read,
  slowToken,
  sourceOver,
  unlisted,
  useTokenChain,
} from '../token-chain.ts'

useTokenChain()

const MANY = 1_500
const token = (n: number): string => `0x${(0xfeed0000 + n).toString(16).padStart(40, 'f')}`
const owner = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const some = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => token(from + at))
/** Whatever is asked: 7. */
const SEVEN = '0x600760005260206000f3'
const listed = token(900_000)

const setCodes = async (tokens: readonly string[], code: string): Promise<void> => {
  const pool = createRpcPool(chain.url)
  for (let at = 0; at < tokens.length; at += 100)
    await Promise.all(tokens.slice(at, at + 100).map((one) => pool.rpc('', 'anvil_setCode', [one, code])))
  await pool.close()
}
beforeAll(() => setCodes([...some(0, MANY), listed], SEVEN))

/** An own index that names these tokens, in this order. */
const indexOf = (held: Record<string, readonly string[]>) => ({
  isComplete: () => true,
  tokensOf: async (one: string, most: number) => (held[one] ?? []).slice(0, most),
})
const shown = (balances: EvmBalances | string | undefined): string[] => {
  if (typeof balances !== 'object') throw new Error(`no balances: ${balances}`)
  return balances.tokens.map(({ address }) => address)
}
const list = [unlisted(listed)]

it('are all read, though there are thousands, and nothing is left out because memory for names is small', async () => {
  const indexedTokens = indexOf({ [owner(1)]: some(0, MANY) })
  const limits = { ...evmLimits, metadataEntries: 100 }
  const { source } = sourceOver(noDiscovery, { list, indexedTokens, limits })
  const [balances] = await read(source, [owner(1)])
  expect(shown(balances)).toEqual([...some(0, MANY), listed])
  expect(balances).not.toHaveProperty('hasMore')
})

it('whoever has more than are looked at keeps those he got to know first, and what somebody vouches for', async () => {
  const first = [...some(1_000, 20), ...some(500, 20)]
  const indexedTokens = indexOf({ [owner(1)]: [...first, ...some(0, 30)], [owner(2)]: some(0, 2) })
  const vouched = [token(29), token(899_999), listed]
  const tokens = { tokens: () => list, vouched: () => vouched.map((one) => one.toUpperCase().replace('0X', '0x')) }
  const limits = { ...evmLimits, discoveredTokens: 40 }
  const { source } = sourceOver(noDiscovery, { tokens, indexedTokens, limits })
  const [cut, whole] = await read(source, [owner(1), owner(2)])
  expect(shown(cut)).toEqual([...first, token(29), listed].sort())
  expect(cut).toHaveProperty('hasMore', true)
  expect(shown(whole)).toEqual([token(0), token(1), listed])
  expect(whole).not.toHaveProperty('hasMore')
})

it('the native coin is not one of those that somebody vouches for: it would count twice', () => {
  const native = `0x${'e'.repeat(40)}`
  const catalogue = { tokens: () => [], vouched: () => [native, token(7)] }
  const limits = { ...evmLimits, discoveredTokens: 1 }
  const find = createFoundTokens({ caip2Id: 'eip155:31337', catalogue, limits, isUnreadable: () => false })
  const found = new Map([[owner(1), { ok: true as const, value: { tokens: [native, token(1)], more: true } }]])
  expect(find(found, [owner(1)], () => false).tokens.get(owner(1))).toEqual([token(1), token(7)])
})

it('one read looks at so many of all owners together: those who have few keep all of them', async () => {
  const indexedTokens = indexOf({ [owner(1)]: some(0, 500), [owner(2)]: some(500, 5), [owner(3)]: some(600, 30) })
  const limits = { ...evmLimits, discoveredPerRead: 60 }
  const asked: number[] = []
  const counting = {
    ...indexedTokens,
    tokensOf: (one: string, most: number) => {
      asked.push(most)
      return indexedTokens.tokensOf(one, most)
    },
  }
  const { source } = sourceOver(noDiscovery, { list, indexedTokens: counting, limits })
  const read3 = await read(source, [owner(1), owner(2), owner(3)])
  expect(read3.map((balances) => shown(balances).length - 1)).toEqual([27, 5, 27])
  // Nobody's thousands are read to be thrown away.
  expect(asked).toEqual([21, 21, 21, 28, 28])
  expect(shareOf([5, 500, 30], 60)).toBe(27)
  expect(shareOf([5, 30], 60)).toBe(Number.POSITIVE_INFINITY)
})

it('names that take too long are an error of those who hold them; what was read is there at the next attempt', async () => {
  const indexedTokens = indexOf({ [owner(1)]: some(0, 1_000), [owner(2)]: [token(1_400)] })
  let slow = true
  const isNames = ({ params }: { params: unknown[] }) => JSON.stringify(params).includes(callReaderCode)
  const { source, calls } = sourceOver(
    (call) => {
      if (slow && isNames(call) && JSON.stringify(call.params).includes(token(950).slice(2)))
        throw new DeadlineError('too late')
      return undefined
    },
    { list, indexedTokens },
  )
  const [many, one, none] = await read(source, [owner(1), owner(2), owner(3)])
  expect([many, shown(one), shown(none)]).toEqual(['too late', [token(1_400), listed].sort(), [listed]])
  slow = false
  const before = calls().filter(isNames).length
  expect(shown((await read(source, [owner(1)]))[0])).toHaveLength(1_001)
  expect(calls().filter(isNames).length - before).toBeLessThan(before / 2)
})

it('balances that take too long are an error of those alone who hold thousands', async () => {
  const indexedTokens = indexOf({ [owner(1)]: some(0, 1_200), [owner(2)]: [token(1_400)] })
  const { source } = sourceOver(
    ({ params }) => {
      if (JSON.stringify(params).includes(token(600).slice(2))) throw new DeadlineError('too late')
      return undefined
    },
    { list, indexedTokens },
  )
  const [many, one, none] = await read(source, [owner(1), owner(2), owner(3)])
  expect([many, shown(one), shown(none)]).toEqual(['too late', [token(1_400), listed].sort(), [listed]])
})

it('tokens that burn their gas do not take the time of the others, however many were sent', async () => {
  const burners = Array.from({ length: 300 }, (_, at) => token(800_000 + at))
  await setCodes(burners, burner)
  const indexedTokens = indexOf({ [owner(1)]: [...burners, token(0)], [owner(2)]: [token(1)] })
  const { source, calls } = sourceOver(noDiscovery, { list, indexedTokens, limits: { patientTokens: 5 } })
  const [first, second] = await read(source, [owner(1), owner(2)])
  expect([shown(first), shown(second)]).toEqual([
    [token(0), listed],
    [token(1), listed],
  ])
  expect(calls().length).toBeLessThan(20)
})

it('of many tokens that fail in the common call each has its turn of being asked with more gas', async () => {
  // Burns some 400,000 gas and says 7.
  const heavy = token(990_000)
  await setCodes([heavy], slowToken(16_000))
  const failing = Array.from({ length: 7 }, (_, at) => token(980_000 + at))
  await setCodes(failing, '0x60006000fd')
  const indexedTokens = indexOf({ [owner(1)]: [...failing, heavy] })
  const { source } = sourceOver(noDiscovery, { list, indexedTokens, limits: { patientTokens: 3, unreadableMs: 4 } })
  const seen: string[][] = []
  for (let reads = 0; reads < 3; reads++) {
    seen.push(shown((await read(source, [owner(1)]))[0]))
    await sleep(20)
  }
  expect(seen.map((tokens) => tokens.includes(heavy))).toEqual([false, false, true])
})

it('a token that is put off beside those of a stranger with many is not missing where its owner is read by himself', async () => {
  const heavy = token(991_000)
  await setCodes([heavy], slowToken(16_000))
  const failing = Array.from({ length: 9 }, (_, at) => token(981_000 + at))
  await setCodes(failing, '0x60006000fd')
  const indexedTokens = indexOf({ [owner(1)]: [heavy], [owner(2)]: failing })
  const { source, calls } = sourceOver(noDiscovery, { list, indexedTokens, limits: { patientTokens: 3 } })
  const own = async () => shown((await read(source, [owner(1)]))[0])
  const withStranger = async () => shown((await read(source, [owner(1), owner(2)]))[0])
  expect(await own()).toContain(heavy)
  expect(await withStranger()).not.toContain(heavy)
  expect(await own()).toContain(heavy)
  // For the same owners it is not asked for again at once.
  const before = calls().length
  expect(await withStranger()).not.toContain(heavy)
  expect(calls().length - before).toBe(1)
})

it('tokens whose names burn their gas are left out after some attempts, and do not make their owner an error', async () => {
  // balanceOf is 7, everything else burns.
  const code = '0x60003560e01c6370a08231146013575b600f565b600760005260206000f3'
  const burners = Array.from({ length: 60 }, (_, at) => token(700_000 + at))
  await setCodes(burners, code)
  const indexedTokens = indexOf({ [owner(1)]: [...burners, token(0)] })
  const { source, calls } = sourceOver(noDiscovery, { list, indexedTokens, limits: { patientNames: 3 } })
  const [balances] = await read(source, [owner(1)])
  expect(shown(balances)).toEqual([token(0), listed])
  expect(calls().length).toBeLessThan(12)
  const before = calls().length
  expect(shown((await read(source, [owner(1)]))[0])).toEqual([token(0), listed])
  expect(calls().length).toBe(before + 1)
})

/** Answers pages of `size` tokens of which only `held` are not zero; `alive` says how many pages it tells before it keeps silent. */
function pagingServer(held: readonly string[], size: number, options: { zeros?: number; stuck?: boolean } = {}) {
  const all = [...some(10_000, options.zeros ?? 0).map((one) => [one, '0x0']), ...held.map((one) => [one, '0x7'])]
  return ({ pageKey }: { pageKey?: string } = {}) => {
    const from = Number(pageKey ?? 0)
    const next = from + size < all.length ? `${options.stuck ? size : from + size}` : undefined
    const tokenBalances = all
      .slice(from, from + size)
      .map(([contractAddress, tokenBalance]) => ({ contractAddress, tokenBalance }))
    return { address: '', tokenBalances, ...(next !== undefined && { pageKey: next }) }
  }
}

/** A source whose tokens come from such a server; the first page opens what is behind it. */
async function pagedSource(
  server: ReturnType<typeof pagingServer>,
  before: (page: number) => Promise<void> | void = () => {},
  limits: Partial<EvmLimits> = {},
) {
  let page = 0
  const { createServer } = await import('node:http')
  const http = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [owner, , options] = JSON.parse(body).params as [string, string, { pageKey?: string }?]
    response.end(JSON.stringify({ id: 1, result: { ...server(options), address: owner } }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as import('node:net').AddressInfo
  const made = sourceOver(
    async ({ method }) => {
      if (!method.startsWith('alchemy')) return undefined
      await before(page++)
      return `http://127.0.0.1:${port}`
    },
    { list, limits },
  )
  return { ...made, stop: () => http.close() }
}

it('a server that names what is not held any more on many pages has the others on those behind', async () => {
  const { source, stop } = await pagedSource(pagingServer(some(0, 5), 10, { zeros: 400 }))
  await read(source, [owner(1)])
  const [balances] = await read(source, [owner(1)])
  stop()
  expect(shown(balances)).toEqual([...some(0, 5), listed])
})

it('whoever has more than are looked at is told so, though it is the last page of a server that goes beyond', async () => {
  const { source, stop } = await pagedSource(pagingServer(some(0, 15), 10), undefined, { discoveredTokens: 12 })
  await read(source, [owner(1)])
  const [balances] = await read(source, [owner(1)])
  stop()
  expect(shown(balances)).toEqual([...some(0, 12), listed])
  expect(balances).toHaveProperty('hasMore', true)
})

it('a server that goes in circles is no answer', async () => {
  const { source, stop } = await pagedSource(pagingServer(some(0, 50), 10, { stuck: true }))
  await read(source, [account(1)])
  expect(await read(source, [owner(1)])).toEqual(['token discovery names a page as the next of itself'])
  stop()
})

it('of a long list that is on its way it is known that there is one: nobody is told of no tokens meanwhile', async () => {
  const opened = gate()
  const { source, stop } = await pagedSource(pagingServer(some(0, 50), 10), (page) =>
    page < 1 ? undefined : opened.opened,
  )
  const first = read(source, [owner(1)])
  const second = first.then(() => read(source, [owner(1)]))
  await sleep(600)
  opened.open()
  expect((await Promise.all([first, second])).flat().map((one) => shown(one).length)).toEqual([51, 51])
  stop()
})

it('a long list is gone on with where the time had ended', async () => {
  let late = Number.POSITIVE_INFINITY
  const { source, calls, stop } = await pagedSource(pagingServer(some(0, 50), 10), (page) => {
    if (page === late) throw new DeadlineError('too late')
  })
  await read(source, [owner(9)])
  expect(shown((await read(source, [owner(9)]))[0])).toHaveLength(51)
  late = calls('alchemy_getTokenBalances').length + 3
  expect(await read(source, [owner(1)])).toEqual(['too late'])
  const before = calls('alchemy_getTokenBalances').length
  expect(shown((await read(source, [owner(1)]))[0])).toEqual([...some(0, 50), listed])
  expect(calls('alchemy_getTokenBalances').length - before).toBe(2)
  stop()
})
