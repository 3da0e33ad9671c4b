import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeadlineError, FirnError } from '../../../src/errors.ts'
import { StoreUnavailableError } from '../../../src/store/index.ts'
import { serveBalances, startBalanceApi } from '../../support/balances/balance-api.ts'

const WALLET = 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'
const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'

let url: string
let app: FastifyInstance
beforeAll(async () => {
  const started = await startBalanceApi({ chains: [] })
  url = started.url
  app = started.app
})
afterAll(() => app.close())

it.each([5, null, ['x'], [`P-${WALLET}`]])('a key and addresses %j at once are refused', async (addresses) => {
  const extendedPublicKey = `xpub${'1'.repeat(107)}`
  const response = await fetch(`${url}/v1/stake/get-rewards`, {
    method: 'POST',
    body: JSON.stringify({ extendedPublicKey, addresses, isTestnet: false }),
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      message: 'INVALID_PAYLOAD',
      issues: [
        {
          code: 'invalid_shape',
          path: [],
          message: 'must hold either extendedPublicKey or addresses, not both',
        },
      ],
      method: 'POST',
      url: '/v1/stake/get-rewards',
    },
  ])
})

it('a body that no request needs is 413, without being read', async () => {
  const response = await fetch(`${url}/v1/stake/get-rewards`, {
    method: 'POST',
    body: `{"isTestnet":false,"addresses":[${'[],'.repeat(30_000)}[]]}`,
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.json()]).toEqual([413, { message: 'PAYLOAD_TOO_LARGE' }])
})

it('without an index: 503 with the reason, and no promise that waiting helps', async () => {
  const response = await fetch(`${url}/v1/stake/get-rewards`, {
    method: 'POST',
    body: JSON.stringify({ addresses: [`P-${WALLET}`], isTestnet: false }),
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.json()]).toEqual([
    503,
    { message: 'SERVICE_UNAVAILABLE', error: 'this server has no index: start it with --index-enabled' },
  ])
  expect(response.headers.has('retry-after')).toBe(false)
})

/** Status, time to come back, and body of what is told of a wallet. */
async function refusalAt(url: string): Promise<unknown[]> {
  const response = await fetch(`${url}/v1/stake/get-rewards`, {
    method: 'POST',
    body: JSON.stringify({ addresses: [`P-${WALLET}`], isTestnet: false }),
    headers: { 'content-type': 'application/json' },
  })
  return [response.status, response.headers.get('retry-after'), await response.json()]
}

it.each([
  new DeadlineError('the database was busy for 10000 ms'),
  new StoreUnavailableError('the database is not there'),
])('a database that is late or away is no mistake of this server: 503, and when to come back (%s)', async (error) => {
  const { url } = await serveBalances({ chains: [], stakeRewards: { read: () => Promise.reject(error) } })
  expect(await refusalAt(url)).toEqual([
    503,
    '2',
    { message: 'SERVICE_UNAVAILABLE', error: 'the index cannot be read' },
  ])
})

it('what will not be there later either comes without a time to come back', async () => {
  const lasting = { code: 'NOT_INDEXED', status: 503, expose: true }
  const read = () => Promise.reject(new FirnError('the P-chain of the mainnet is not indexed here', lasting))
  const { url } = await serveBalances({ chains: [], stakeRewards: { read } })
  expect(await refusalAt(url)).toEqual([
    503,
    null,
    { message: 'SERVICE_UNAVAILABLE', error: 'the P-chain of the mainnet is not indexed here' },
  ])
})

describe('an address of a private network', () => {
  /** What is answered about it by get-balances and get-rewards: status, and what is said. */
  async function answers(url: string, address: string): Promise<unknown[]> {
    const wallet = { namespace: 'avax', references: [P], addressDetails: [{ id: 'a', addresses: [address] }] }
    const bodies = {
      '/v1/balance/get-balances': { data: [wallet] },
      '/v1/stake/get-rewards': { addresses: [`P-${address}`], isTestnet: false },
    }
    const told: unknown[] = []
    for (const [path, body] of Object.entries(bodies)) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await answer.text()
      told.push([answer.status, /"error":"([^"]+)"/.exec(text)?.[1] ?? JSON.parse(text || '{}').message])
    }
    return told
  }
  const address = `custom1${WALLET.slice(5)}`

  it('is taken once its prefix has been found', async () => {
    let prefixes = ['avax', 'fuji']
    const { url } = await serveBalances({ chains: [], hrps: () => prefixes })
    expect(await answers(url, address)).toEqual([
      [400, 'INVALID_PAYLOAD'],
      [400, 'INVALID_PAYLOAD'],
    ])
    prefixes = [...prefixes, 'custom']
    expect(await answers(url, address)).toEqual([
      [200, expect.stringContaining('unsupported chain id')],
      [503, expect.stringContaining('no index')],
    ])
  })

  it('is no mistake of the client while the network has not told its prefix; what is wrong anyway is one', async () => {
    const { url } = await serveBalances({ chains: [], hrpsToCome: () => true })
    const early = [503, 'the prefix of the addresses of a network is not known yet']
    expect(await answers(url, address)).toEqual([early, early])
    expect(await answers(url, address.slice(1))).toEqual([early, early])
    expect(await answers(url, `${address}q`)).toEqual([
      [400, 'INVALID_PAYLOAD'],
      [400, 'INVALID_PAYLOAD'],
    ])
    expect(await answers(url, WALLET)).toEqual([
      [200, expect.stringContaining('unsupported chain id')],
      [503, expect.stringContaining('no index')],
    ])
  })
})
