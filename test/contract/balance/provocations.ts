import { recordedIndex } from '../../support/recorded/recorded-index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import type { Stage } from '../../support/server/stage.ts'
import { until } from '../../support/waiting/until.ts'
import type { Provocation } from '../provoked-statuses.ts'

const BALANCES = '/v1/balance/get-balances'
const CHAINS = '/v1/balance/get-supported-chains'
const REWARDS = '/v1/stake/get-rewards'
const ADDRESS = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const body = JSON.stringify({ data: [{ namespace: 'eip155', addresses: [ADDRESS], references: ['1'] }] })
const json = { 'content-type': 'application/json' }

const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url + BALANCES, { method: 'POST', body, ...init, headers: { ...json, ...init.headers } })

const STAKER = 'P-fuji157y46037jdtxgd3sav5axm7yv9vc2ekl2v3rn9'
const rewards = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url + REWARDS, {
    method: 'POST',
    body: JSON.stringify({ addresses: [STAKER], isTestnet: true }),
    ...init,
    headers: { ...json, ...init.headers },
  })

const staticTokens = { balance: { appCheck: { mode: 'static' as const, tokens: ['right'] } } }

/** A token of the right form whose signature can only be judged with keys that cannot be had. */
const unjudgeable = async (stage: Stage): Promise<{ url: string; headers: Record<string, string> }> => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'RS256', kid: 'k' })}.${part({ sub: 'app' })}.${Buffer.alloc(256).toString('base64url')}`
  const jwks = `${await stage.deadUrl()}/jwks`
  const { url } = await stage.serve({ balance: { appCheck: { mode: 'firebase', projectNumber: '1', jwks } } })
  return { url, headers: { 'x-firebase-appcheck': token } }
}

const UNKNOWN = STAKER.replace('P-fuji', 'custom')
const unknownWallet = {
  namespace: 'avax',
  references: ['Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'],
  addressDetails: [{ id: 'a', addresses: [UNKNOWN] }],
}

/** A server whose testnet is one of its own, at a node that is away. */
const privateNetwork = async (stage: Stage): Promise<string> => {
  const testnet = { name: 'Private', upstreams: [{ url: await stage.deadUrl() }] }
  return (await stage.serve({ chains: { avalanche: { testnet } } })).url
}

/** Every status that `openapi/balance.json` declares, one way at least for each. */
export const balanceProvocations: readonly Provocation[] = [
  {
    operationId: 'postV1BalanceGetBalances',
    status: 200,
    headers: { 'content-type': /^text\/event-stream; charset=utf-8$/, 'cache-control': /no-transform/ },
    provoke: async (stage) => post((await stage.serve()).url),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 400,
    provoke: async (stage) => post((await stage.serve()).url, { body: '{"data":[]}' }),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 400,
    how: 'not JSON',
    provoke: async (stage) => post((await stage.serve()).url, { body: '{' }),
  },
  ...['postV1BalanceGetBalances', 'getV1BalanceGetSupportedChains'].flatMap((operationId): Provocation[] => {
    const ask = (url: string, init: RequestInit = {}) =>
      operationId === 'postV1BalanceGetBalances' ? post(url, init) : fetch(url + CHAINS, init)
    return [
      { operationId, status: 401, provoke: async (stage) => ask((await stage.serve(staticTokens)).url) },
      {
        operationId,
        status: 401,
        how: 'wrong token',
        provoke: async (stage) =>
          ask((await stage.serve(staticTokens)).url, { headers: { 'x-firebase-appcheck': 'wrong' } }),
      },
      {
        operationId,
        status: 500,
        how: 'keys of the credential cannot be had',
        provoke: async (stage) => {
          const { url, headers } = await unjudgeable(stage)
          return ask(url, { headers })
        },
      },
      {
        operationId,
        status: 503,
        how: 'too much to do',
        headers: { 'retry-after': /^\d+$/ },
        provoke: async (stage) => {
          const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { maxInFlight: 1 } })
          await post(url)
          return ask(url)
        },
      },
    ]
  }),
  {
    operationId: 'postV1BalanceGetBalances',
    status: 405,
    headers: { allow: /\bPOST\b/ },
    provoke: async (stage) => fetch((await stage.serve()).url + BALANCES),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 413,
    provoke: async (stage) => post((await stage.serve({ http: { bodyLimitBytes: 20 } })).url),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 415,
    provoke: async (stage) => post((await stage.serve()).url, { headers: { 'content-type': 'text/plain' } }),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 503,
    how: 'an address that may be of a network that has not told its prefix',
    headers: { 'retry-after': /^\d+$/ },
    provoke: async (stage) => post(await privateNetwork(stage), { body: JSON.stringify({ data: [unknownWallet] }) }),
  },
  {
    operationId: 'postV1BalanceGetBalances',
    status: 503,
    how: 'no stream left',
    headers: { 'retry-after': /^\d+$/ },
    provoke: async (stage) => {
      const { url } = await stage.serve({ balance: { maxStreams: 1 }, ...(await stage.hangingChain()) })
      await post(url)
      return post(url)
    },
  },
  {
    operationId: 'getV1BalanceGetSupportedChains',
    status: 200,
    provoke: async (stage) => fetch((await stage.serve(await stage.hangingChain())).url + CHAINS),
  },
  {
    operationId: 'getV1BalanceGetSupportedChains',
    status: 405,
    headers: { allow: /\bGET\b/ },
    provoke: async (stage) => fetch((await stage.serve()).url + CHAINS, { method: 'POST' }),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 200,
    provoke: async (stage) => {
      const node = await startReplayNode({ upTo: { P: 20 } })
      const index = { enabled: true, streams: ['testnet:P'] }
      const { url } = await stage.serve({ ...recordedIndex(node.url), index })
      let answer!: Response
      const isIndexed = async (): Promise<boolean> => {
        answer = await rewards(url)
        return answer.status !== 503
      }
      await until(isIndexed, 'P is indexed', 100).finally(() => node.stop())
      return answer
    },
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 400,
    provoke: async (stage) => rewards((await stage.serve()).url, { body: '{"isTestnet":true}' }),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 401,
    provoke: async (stage) => rewards((await stage.serve(staticTokens)).url),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 405,
    headers: { allow: /\bPOST\b/ },
    provoke: async (stage) => fetch((await stage.serve()).url + REWARDS),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 413,
    provoke: async (stage) => rewards((await stage.serve({ http: { bodyLimitBytes: 20 } })).url),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 415,
    provoke: async (stage) => rewards((await stage.serve()).url, { headers: { 'content-type': 'text/plain' } }),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 500,
    how: 'keys of the credential cannot be had',
    provoke: async (stage) => {
      const { url, headers } = await unjudgeable(stage)
      return rewards(url, { headers })
    },
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 503,
    how: 'nothing is indexed',
    provoke: async (stage) => rewards((await stage.serve()).url),
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 503,
    how: 'an address that may be of a network that has not told its prefix',
    headers: { 'retry-after': /^\d+$/ },
    provoke: async (stage) => {
      const body = JSON.stringify({ addresses: [`P-${UNKNOWN}`], isTestnet: true })
      return rewards(await privateNetwork(stage), { body })
    },
  },
  {
    operationId: 'postV1StakeGetRewards',
    status: 404,
    how: 'a network that is not configured',
    provoke: async (stage) => rewards((await stage.serve({ index: { enabled: true } })).url),
  },
]
