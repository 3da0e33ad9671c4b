import { expect, it, onTestFinished } from 'vitest'
import { evmLatestRoutes } from '../../../../src/api/data/evm/latest.ts'
import { nftRoutes } from '../../../../src/api/data/evm/nfts.ts'
import { NotFoundError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { startDataApi } from '../data-app.ts'

const [CONTRACT, MADE, PERSON] = ['c', 'd', 'e'].map((digit) => digit.repeat(40)) as [string, string, string]
const IDS = ['1', '5']

const transaction = (chainId: bigint, more: object) => ({
  ...{ chainId, height: 7n, index: 0, hash: 'a'.repeat(64), from: PERSON, value: 1n, success: true, type: 2 },
  ...{ gasLimit: 1n, gasUsed: 1n, gasPrice: 1n, nonce: 0n, selector: '', block: { hash: 'b'.repeat(64), time: 5n } },
  ...more,
})

const deps = {
  index: {
    progress: async () =>
      IDS.map((id) => ({ stream: `eip155:${id}`, tip: { height: 7n }, currentAtMs: BigInt(Date.now()) })),
    evm: {
      latestTransactions: async () => ({
        transactions: [
          transaction(1n, { to: CONTRACT, selector: 'a9059cbb' }),
          transaction(5n, { to: CONTRACT, selector: '01020304' }),
          transaction(5n, { createdContract: MADE, selector: '60806040' }),
          transaction(1n, { to: PERSON }),
        ],
      }),
      contracts: async (chainId: bigint, addresses: readonly string[]) =>
        addresses.filter((one) => one !== PERSON).map((address) => ({ address, name: `${address[0]} of ${chainId}` })),
    },
  },
  chains: {
    list: async () => IDS.map((chainId) => ({ chainId, isTestnet: false })),
    streams: async () => new Map(IDS.map((id) => [id, `eip155:${id}`])),
  },
  maxIndexAgeMs: 60_000,
  now: () => Date.now(),
}

it('a transaction is told with the contract of its own chain, with what it made, and with what it called', async () => {
  const app = await startDataApi(evmLatestRoutes(deps as never))
  onTestFinished(() => app.close())
  const { transactions } = (await app.inject('/v1/transactions')).json()
  const brief = transactions.map(({ to, method }: { to: { address: string; name?: string }; method: object }) => [
    to.address.toLowerCase(),
    to.name,
    method,
  ])
  expect(brief).toEqual([
    [
      `0x${CONTRACT}`,
      'c of 1',
      { callType: 'CONTRACT_CALL', methodHash: '0xa9059cbb', methodName: 'transfer(address,uint256)' },
    ],
    [`0x${CONTRACT}`, 'c of 5', { callType: 'CONTRACT_CALL', methodHash: '0x01020304' }],
    [`0x${MADE}`, 'd of 5', { callType: 'CONTRACT_CREATION', methodHash: '', methodName: 'Contract Created' }],
    [`0x${PERSON}`, undefined, { callType: 'NATIVE_TRANSFER', methodHash: '', methodName: 'Native Transfer' }],
  ])
})

it('a token is not unknown because the database could not be asked about it', async () => {
  let error: Error = new UpstreamUnavailableError('away')
  const metadata = { requestReindex: async () => Promise.reject(error) }
  const app = await startDataApi(nftRoutes({ ...deps, metadata, reindexCooldownMs: 1 } as never))
  onTestFinished(() => app.close())
  const status = async () =>
    (await app.inject({ method: 'POST', url: `/v1/chains/1/nfts/collections/0x${CONTRACT}/tokens/7:reindex` }))
      .statusCode
  expect(await status()).toBe(502)
  error = new NotFoundError('no such chain')
  expect(await status()).toBe(404)
})
