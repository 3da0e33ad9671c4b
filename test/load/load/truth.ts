import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainFacts } from '../balances/chains.ts'
import { type RequestBody, requestBody } from '../balances/request-body.ts'
import { call } from './calls.ts'

/** A body to send and, per pair that it asks for, the one true item. */
export interface KnownStream {
  body: RequestBody
  /** By chain and id; items as they have to be written. */
  items: ReadonlyMap<string, string>
}

interface Item {
  caip2Id: string
  id: string
  balances: unknown
  error: string | null
}

const PATH = '/v1/balance/get-balances'
const LINE = /^data: (.+)$/gm

/** Items of a stream, or of the part of it that has come: a line that is cut off is none. */
export function itemsOf(text: string): { key: string; text: string; error: string | null }[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return [...whole.matchAll(LINE)].map(([, line = '']) => {
    const { caip2Id, id, error } = JSON.parse(line) as Item
    return { key: `${caip2Id} ${id}`, text: line, error }
  })
}

async function learn(base: string, body: RequestBody): Promise<KnownStream> {
  const { status, text } = await call(base, { method: 'POST', path: PATH, body: body.text })
  const items = itemsOf(text)
  if (status !== 200 || items.length !== body.items || items.some(({ error }) => error !== null))
    throw new Error(`even in the quiet the server does not answer everything: ${status} ${text}`)
  return { body, items: new Map(items.map((item) => [item.key, item.text])) }
}

/**
 * Different requests and their true answers. What known accounts own is asked once in the quiet, twice the same, and
 * compared with the chains themselves; accounts that nobody owns have nothing, whatever is answered now.
 */
export async function knownStreams(base: string, facts: ChainFacts, count: number): Promise<KnownStream[]> {
  const popular = await learn(base, requestBody(facts))
  await sleep(3_000)
  const again = await learn(base, requestBody(facts))
  for (const [key, item] of popular.items)
    if (again.items.get(key) !== item) throw new Error(`two answers in the quiet differ: ${key}`)
  await compareWithChains(popular, facts)
  const template = await learn(base, requestBody(facts, { bitcoin: true, evm: true }))
  for (const [key, item] of template.items) {
    if (popular.items.has(key)) continue
    if (!/"balance":"0"/.test(item) || /"balance":"[^0"]/.test(item)) throw new Error(`nobody owns something: ${item}`)
  }
  return Array.from({ length: count }, (_, at) => {
    // One in four is what everybody asks for and is shared or known.
    if (at % 4 === 0) return popular
    const body = requestBody(facts, { bitcoin: true, evm: true })
    return { body, items: renamed(template, body) }
  })
}

interface Asked {
  data: { addresses?: string[] }[]
}

/** The template's items with the ids of another request: accounts that nobody owns differ in nothing else. */
function renamed(template: KnownStream, body: RequestBody): Map<string, string> {
  const idsOf = ({ text }: RequestBody): string[] =>
    (JSON.parse(text) as Asked).data.flatMap(({ addresses = [] }) => addresses)
  const to = idsOf(body)
  const names = new Map(idsOf(template.body).map((id, at) => [id, to[at] as string]))
  return new Map(
    [...template.items].map(([key, item]) => {
      const [chain = '', id = ''] = key.split(' ')
      const name = names.get(id) ?? id
      return [`${chain} ${name}`, item.replaceAll(`"${id}"`, `"${name}"`)]
    }),
  )
}

/** Native balances of the items against what the EVM chains say themselves. */
async function compareWithChains({ items }: KnownStream, facts: ChainFacts): Promise<void> {
  for (const [chain, url] of [
    ['eip155:31337', facts.fastUrl],
    ['eip155:31338', facts.slowUrl],
  ] as const) {
    for (const address of facts.evmAddresses) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] })
      const { text } = await call(url, { method: 'POST', path: '/', body })
      const balance = BigInt((JSON.parse(text) as { result: string }).result)
      const item = [...items].find(([key]) => key.toLowerCase() === `${chain} ${address}`.toLowerCase())?.[1]
      const told = (JSON.parse(item ?? '{}') as { balances?: { nativeTokenBalance?: { balance?: string } } }).balances
      if (told?.nativeTokenBalance?.balance !== balance.toString())
        throw new Error(`${address} owns ${balance} on ${chain}, the server says ${item}`)
    }
  }
}

/** What is wrong with the items of an answer; undefined = nothing. `whole` = the stream was read to its end. */
export function mistakeIn(
  known: KnownStream,
  text: string,
  whole: boolean,
): { outcome: 'wrong' | 'unread'; found: string } | undefined {
  const seen = new Set<string>()
  let unread: string | undefined
  for (const item of itemsOf(text)) {
    const expected = known.items.get(item.key)
    if (expected === undefined || seen.has(item.key)) return { outcome: 'wrong', found: `not asked for: ${item.text}` }
    seen.add(item.key)
    if (item.error !== null) unread ??= item.text
    else if (item.text !== expected) return { outcome: 'wrong', found: `${item.text} instead of ${expected}` }
  }
  if (whole && seen.size !== known.items.size)
    return { outcome: 'wrong', found: `${seen.size} of ${known.items.size} items` }
  return unread === undefined ? undefined : { outcome: 'unread', found: unread }
}
