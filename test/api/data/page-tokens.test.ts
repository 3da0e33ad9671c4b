import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePageToken } from '../../../src/api/data/page-token.ts'
import { id, node, owner, P, startAsked, X } from './asked-index.ts'

let { asked, get, close }: Awaited<ReturnType<typeof startAsked>> = {} as never
beforeAll(async () => {
  ;({ asked, get, close } = await startAsked())
})
afterAll(() => close())

describe('a page token belongs to everything that makes the list, and to nothing else', () => {
  const lists: Record<string, { url: string; others: string[]; same: string[] }> = {
    UTXOs: {
      url: `${X}/utxos?addresses=${owner(1)}&sortBy=amount&sortOrder=asc&includeSpent=true&minUtxoAmount=5&assetId=${id('4')}`,
      others: [
        `addresses=${owner(2)}`,
        'sortBy=timestamp',
        'sortOrder=desc',
        'includeSpent=false',
        'minUtxoAmount=6',
        `assetId=${id('5')}`,
        'x-chain=c-chain',
        'networks/fuji=networks/mainnet',
      ],
      same: ['pageSize=3', 'minUtxoAmount=4.5', 'networks/fuji=networks/testnet', 'rltoken=x'],
    },
    'blocks of a node': {
      url: `${P}/nodes/${node('1')}/blocks?startTimestamp=1&endTimestamp=9`,
      others: [
        `nodes/${node('1')}=nodes/${node('2')}`,
        'startTimestamp=2',
        'endTimestamp=8',
        'p-chain=x-chain',
        'networks/fuji=networks/mainnet',
      ],
      same: ['pageSize=3'],
    },
    'latest blocks': { url: '/v1/blocks?network=mainnet', others: ['network=fuji', 'network='], same: ['pageSize=3'] },
    'latest transactions': {
      url: '/v1/transactions?network=fuji&status=failed',
      others: ['network=mainnet', 'network=', 'status=success', 'status=', 'transactions=blocks'],
      same: ['pageSize=3', 'network=testnet'],
    },
  }

  /** The URL with a parameter or a piece of its path changed; empty = left out. */
  function changed(url: string, change: string): string {
    const at = change.indexOf('=')
    const [name, value] = [change.slice(0, at), change.slice(at + 1)]
    const [path = '', query = ''] = url.split('?')
    if (path.includes(name)) return `${path.replace(name, value)}?${query}`
    const parameters = new URLSearchParams(query)
    parameters.delete(name)
    if (value !== '') parameters.set(name, value)
    return `${path}?${parameters}`
  }

  it.each(Object.entries(lists))('%s', async (_, { url, others, same }) => {
    const first = await get(url)
    expect(first.status).toBe(200)
    const token = first.body.nextPageToken
    for (const change of same)
      expect([change, (await get(changed(`${url}&pageToken=${token}`, change))).status]).toEqual([change, 200])
    for (const change of others) {
      const { status, body } = await get(changed(`${url}&pageToken=${token}`, change))
      expect([change, status, body.message]).toEqual([
        change,
        400,
        'pageToken belongs to another query: send the same parameters as before',
      ])
    }
  })
})

it('a place that no list of this kind can have is none of ours, whatever its seal says', async () => {
  // What tokens of the same query begin with.
  const markOf = (token: string): string => JSON.parse(Buffer.from(token, 'base64url').toString())[1]
  const refused = async (url: string, ...keys: string[][]) => {
    const { body } = await get(url)
    for (const key of keys) {
      const { status, body: answer } = await get(`${url}&pageToken=${writePageToken(markOf(body.nextPageToken), key)}`)
      expect([key, status, answer.message]).toEqual([key, 400, 'pageToken is not a token of this API'])
    }
  }
  const key = 'a'.repeat(32)
  const digits = (count: number) => '9'.repeat(count)
  await refused(`${P}/utxos?addresses=${owner(1)}`, [digits(19), key], ['x', key], ['5', 'a'], ['5', `${key}a`])
  await refused(`${P}/utxos?addresses=${owner(1)}&sortBy=amount`, [digits(21), key])
  await refused(`${P}/nodes/${node('1')}/blocks?pageSize=1`, [digits(19), '7'], ['5', digits(19)], ['5', 'x'], ['5'])
  await refused(
    '/v1/blocks?pageSize=1',
    [digits(19), '1', '7'],
    ['5', digits(5), '7'],
    ['5', '1'],
    ['5', '1', '7', '2'],
  )
  await refused('/v1/transactions?pageSize=1', ['5', '1', '7'], ['5', '1', '7', digits(10)])
  asked.length = 0
  const url = `${P}/utxos?addresses=${owner(1)}&sortBy=amount`
  const { body } = await get(url)
  expect((await get(`${url}&pageToken=${writePageToken(markOf(body.nextPageToken), [digits(20), key])}`)).status).toBe(
    200,
  )
  expect(asked.at(-1)).toMatchObject({ after: { value: BigInt(digits(20)), key } })
  const blocks = await get('/v1/blocks?pageSize=1')
  const last = writePageToken(markOf(blocks.body.nextPageToken), [digits(18), digits(4), digits(18)])
  expect((await get(`/v1/blocks?pageSize=1&pageToken=${last}`)).status).toBe(200)
})
