import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SANDBOX_REFERENCES } from '../sandbox/settings.ts'
import { type Sandbox, startSandbox } from '../sandbox/start.ts'
import { itemsOf, post } from '../support/balances/balance-api.ts'
import { createStage } from '../support/server/stage.ts'
import { type GeneratedClient, generateClient } from './generated-client.ts'
import { inPieces, readLikeExtension, readLikePhone, type Yielded } from './wallet-readers.ts'

/** As much of the generated functions as the tests use. */
interface Sdk {
  postV1BalanceGetBalances(options: object): Promise<{ stream: AsyncGenerator<unknown> }>
  getV1BalanceGetSupportedChains(
    options: object,
  ): Promise<{ data: { caip2Ids: string[] }; error: unknown; response: Response }>
}

const TOKEN = 'token-of-the-app'
const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'

let sandbox: Sandbox
let client: GeneratedClient<Sdk>
beforeAll(async () => {
  const appCheck = ['--balance-app-check-mode', 'static', '--balance-app-check-tokens', TOKEN]
  sandbox = await startSandbox({ argv: ['--http-port', '0', '--index-enabled=false', ...appCheck] })
  client = await generateClient<Sdk>(`${sandbox.url}/schema.json`)
})
afterAll(async () => {
  client?.remove()
  await sandbox?.stop()
})

/** Something of every family, a chain that nobody serves among them. */
const body = () => ({
  data: [
    {
      namespace: 'eip155',
      addresses: sandbox.evm.accounts.slice(0, 3),
      references: [`${sandbox.evm.chainId}`, '143'],
    },
    {
      namespace: 'bip122',
      addresses: [sandbox.bitcoin.accounts.bob.addresses.testnet],
      references: [SANDBOX_REFERENCES.bitcoin],
    },
    {
      namespace: 'solana',
      addresses: Object.values(sandbox.solana.owners),
      references: [SANDBOX_REFERENCES.solana],
    },
    {
      namespace: 'avax',
      addressDetails: sandbox.avalanche.wallets
        .slice(0, 3)
        .map(({ address }) => ({ id: address, addresses: [address] })),
      references: [P, '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'],
    },
  ],
  currency: 'eur',
  showUntrustedTokens: true,
})
const ITEMS = 2 * 3 + 1 + 4 + 2 * 3

const keyOf = (item: unknown): string => `${(item as { caip2Id: string }).caip2Id} ${(item as { id: string }).id}`
const sorted = (items: readonly unknown[]): unknown[] => [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
const collect = async (stream: AsyncIterable<Yielded>): Promise<Yielded[]> => {
  const items: Yielded[] = []
  for await (const item of stream) items.push(item)
  return items
}
const rawBytes = async (): Promise<Uint8Array> => {
  const response = await post(sandbox.url, body(), { headers: { 'x-firebase-appcheck': TOKEN } })
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

describe('the client that wallets generate from /schema.json', () => {
  const options = () => ({ baseUrl: sandbox.url, auth: TOKEN })

  it('yields every item and tells of every event', async () => {
    const events: { data: unknown; event?: string; id?: string }[] = []
    const { stream } = await client.sdk.postV1BalanceGetBalances({
      ...options(),
      body: body(),
      onSseEvent: (event: (typeof events)[number]) => events.push(event),
    })
    const items = await collect(stream)
    expect(items).toHaveLength(ITEMS)
    expect(events.map(({ data }) => data)).toEqual(items)
    expect(events.filter(({ event, id }) => event !== undefined || id !== undefined)).toEqual([])
    const other = itemsOf(new TextDecoder().decode(await rawBytes()))
    expect(sorted(items)).toEqual(sorted(other))
    expect(items.filter((item) => (item as { error: unknown }).error !== null)).toMatchObject(
      sandbox.evm.accounts.slice(0, 3).map(() => ({ error: '[getEvmBalances] unsupported chain id: 143' })),
    )
  })

  it('lists the served chains', async () => {
    const { data, error, response } = await client.sdk.getV1BalanceGetSupportedChains(options())
    expect(error).toBeUndefined()
    expect(response.status).toBe(200)
    expect(data.caip2Ids).toContain(`eip155:${sandbox.evm.chainId}`)
    expect(data.caip2Ids).toContain(`solana:${SANDBOX_REFERENCES.solana}`)
  })

  it('is told of a refused credential', async () => {
    const errors: unknown[] = []
    const { stream } = await client.sdk.postV1BalanceGetBalances({
      baseUrl: sandbox.url,
      body: body(),
      sseMaxRetryAttempts: 1,
      onSseError: (error: unknown) => errors.push(error),
    })
    expect(await collect(stream)).toEqual([])
    expect(String(errors[0])).toBe('Error: SSE failed: 401 Unauthorized')
    const { error, response } = await client.sdk.getV1BalanceGetSupportedChains({ baseUrl: sandbox.url })
    expect(response.status).toBe(401)
    expect(error).toEqual({ message: 'UNAUTHORIZED' })
  })

  it('calls operations and types what wallets call them in their sources', () => {
    const program = (names: string): string => `
      import { getV1BalanceGetSupportedChains, postV1BalanceGetBalances, postV1StakeGetRewards } from './client/sdk.gen.ts'
      import type { ${names} } from './client/types.gen.ts'
      declare const answer: GetBalancesResponse
      export const amounts = (['evm'] as const).map(() => {
        if ('error' in answer && answer.error !== null) return 'caip2Id' in answer ? answer.caip2Id : answer.error
        if (!('networkType' in answer)) return ''
        const evm = answer as EvmGetBalancesResponse
        const tokens: (NativeTokenBalance | Erc20TokenBalance)[] = evm.balances.erc20TokenBalances
        const svm = answer as SvmGetBalancesResponse
        const spl: SplTokenBalance[] = svm.balances.splTokenBalances
        const items: AvalancheBalanceItem[] = (answer as AvmGetBalancesResponse).balances.categories.unlocked
        return [...tokens, ...spl, ...items].map(({ balance }) => balance).join()
      })
      const evm: EvmGetBalancesRequestItem = { namespace: 'eip155', addresses: ['0x'], references: ['1'] }
      const xp: AvalancheXpGetBalancesRequestItem = { namespace: 'avax', references: ['${P}'] }
      const currency: Currency = 'brl'
      const body: GetBalancesRequestBody = { data: [evm, xp], currency }
      const rewards: GetStakeRewardsRequestBody = { addresses: ['P-fuji1'], isTestnet: true }
      void postV1BalanceGetBalances({ body })
      void getV1BalanceGetSupportedChains()
      void postV1StakeGetRewards({ body: rewards })
    `
    const names = [
      ...['Avm', 'Btc', 'Coreth', 'Evm', 'Pvm', 'Svm'].map((family) => `${family}GetBalancesResponse`),
      ...['AvalancheCoreth', 'AvalancheXp', 'Btc', 'Evm', 'Svm'].map((family) => `${family}GetBalancesRequestItem`),
      ...['GetBalancesRequestBody', 'GetBalancesResponse', 'GetBalancesResponseError'],
      ...['GetBalancesResponseInternalError', 'GetSupportedChainsResponse'],
      ...['GetStakeRewardsRequestBody', 'GetStakeRewardsResponse'],
      ...['AvalancheBalanceItem', 'Currency', 'Erc20TokenBalance', 'NativeTokenBalance', 'SplTokenBalance'],
    ]
    expect(client.typeErrors(program(names.join()))).toEqual([])
    expect(client.typeErrors(program([...names, 'EvmBalance'].join()))).toHaveLength(1)
  })

  it('has types that lead to every balance, and to nothing else', () => {
    const program = (member: string): string => `
      import { postV1BalanceGetBalances, getV1BalanceGetSupportedChains } from './client/sdk.gen.ts'
      const { stream } = await postV1BalanceGetBalances({
        body: { data: [{ namespace: 'eip155', addresses: ['0x'], references: ['1'] }], currency: 'mxn' },
      })
      for await (const item of stream) {
        if (!('caip2Id' in item)) { const code: string = item.error; continue }
        if (item.balances === null) { const message: string = item.error; continue }
        switch (item.networkType) {
          case 'evm': for (const token of item.balances.erc20TokenBalances) token.scanResult === 'Spam'; break
          case 'svm': for (const token of item.balances.splTokenBalances) token.associatedTokenAddress.length; break
          case 'btc': item.balances.nativeTokenBalance.unconfirmedBalance.length; break
          case 'pvm': item.balances.categories.${member}.length; break
          case 'avm': for (const unlocked of item.balances.categories.unlocked) unlocked.assetId.length; break
          case 'coreth': Object.values(item.balances.categories.atomicMemoryUnlocked)[0]?.[0]?.balance.length; break
          default: { const never: never = item; void never }
        }
      }
      const { data } = await getV1BalanceGetSupportedChains()
      const ids: string[] | undefined = data?.caip2Ids
      export { ids }
    `
    expect(client.typeErrors(program('lockedStakeable'))).toEqual([])
    expect(client.typeErrors(program('pendingStaked'))).toHaveLength(1)
  })
})

describe.each([
  ['extension', readLikeExtension],
  ['phone', readLikePhone],
])("the %s's reader", (_name, read) => {
  it.each([1, 2, 7, 4_096, 1 << 20])('reads every item of bytes in pieces of %i', async (size) => {
    const bytes = await rawBytes()
    const items = itemsOf(new TextDecoder().decode(bytes))
    expect(items).toHaveLength(ITEMS)
    expect(await collect(read(inPieces(bytes, size)))).toEqual(items)
  })

  it('passes over keep-alives', async () => {
    const stage = createStage()
    try {
      const { url } = await stage.serve({
        balance: { keepAliveMs: 20, chainDeadlineMs: 300 },
        ...(await stage.hangingChain()),
      })
      const address = '0x1111111111111111111111111111111111111111'
      const response = await post(url, { data: [{ namespace: 'eip155', addresses: [address], references: ['1'] }] })
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(new TextDecoder().decode(bytes)).toMatch(/^: /)
      expect(await collect(read(inPieces(bytes, 3)))).toMatchObject([{ id: address, balances: null }])
    } finally {
      await stage.clear()
    }
  })
})
