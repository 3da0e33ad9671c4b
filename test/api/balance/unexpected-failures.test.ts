import { request } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { serveBalances } from '../../support/balances/balance-api.ts'
import { gate } from '../../support/waiting/gate.ts'

const BODY = JSON.stringify({ addresses: ['P-avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'], isTestnet: false })
const PATH = '/v1/stake/get-rewards'
const JSON_TYPE = { 'content-type': 'application/json' }
const SECRET = 'connection to db.internal:5432 as firn failed'

it('what nobody expected is a 500 in the shape of the API; what went wrong is in the log alone', async () => {
  const lines: string[] = []
  const { url } = await serveBalances({
    chains: [],
    stakeRewards: { read: () => Promise.reject(new TypeError(SECRET)) },
    errorLog: (line) => lines.push(line),
  })
  const answer = await fetch(url + PATH, { method: 'POST', headers: JSON_TYPE, body: BODY })
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    500,
    'application/json; charset=utf-8',
    '{"message":"INTERNAL_ERROR"}',
  ])
  expect(lines).toEqual([expect.stringContaining(SECRET)])
})

it('where no credential can be checked everybody is answered, with a 500', async () => {
  const { url } = await serveBalances({
    chains: [],
    appCheck: { mode: 'jwt', jwks: '/nowhere/keys.json' },
    errorLog: () => undefined,
  })
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const headers = { 'x-firebase-appcheck': `${part({ alg: 'RS256' })}.${part({})}.c2ln` }
  const answer = await fetch(`${url}/v1/balance/get-supported-chains`, { headers })
  expect([answer.status, await answer.text()]).toEqual([500, '{"message":"INTERNAL_ERROR"}'])
})

it('a client that leaves is no failure: strangers could fill the log', async () => {
  const lines: string[] = []
  const left = gate()
  const asked = gate()
  const { url, app } = await serveBalances({
    chains: [],
    stakeRewards: {
      read: async () => {
        asked.open()
        await left.opened
        throw new CancelledError()
      },
    },
    errorLog: (line) => lines.push(line),
  })
  const closed = new Promise<void>((resolve) =>
    app.server.on('request', (_, response) => response.once('close', () => resolve())),
  )
  const leaving = request(url + PATH, { method: 'POST', headers: JSON_TYPE })
  leaving.on('error', () => undefined).end(BODY)
  await asked.opened
  leaving.destroy()
  await closed
  left.open()
  // What follows the refusal takes no more than a turn.
  await turn()
  await turn()
  expect(lines).toEqual([])
})
