import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

it('the document says of each operation what a call takes', async () => {
  const { url } = await stage.serve({})
  const { paths } = (await (await fetch(`${url}/api-json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; description: string }>>
  }
  const told = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId, description }) => [operationId, description.match(/Takes (.*)\.$/)?.[1]]),
  )
  expect(Object.fromEntries(told)).toMatchObject({
    'live-check': '1 compute unit',
    reindexNft: '10 compute units',
    listTokens: '20 compute units',
    getUtxosByAddresses: '100 compute units',
  })
  expect(told.filter(([, takes]) => takes === undefined)).toEqual([])
})

it('each operation carries the class of its weight where clients of the hosted document look for it', async () => {
  const { url } = await stage.serve({})
  const { paths } = (await (await fetch(`${url}/api-json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-execution-weight'?: string }>>
  }
  const carried = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => [operation.operationId, operation['x-execution-weight']]),
  )
  expect(Object.fromEntries(carried)).toEqual({
    'data-health-check': 'medium',
    'live-check': 'free',
    listAddressChains: 'medium',
    listLatestBlocksAllChains: 'medium',
    listLatestTransactionsAllChains: 'medium',
    reindexNft: 'small',
    listTokens: 'medium',
    getTokenDetails: 'medium',
    getUtxosByAddresses: 'xl',
    getUtxosByAddressesV2: 'xl',
    getLastActivityTimestampByAddresses: 'xl',
    getLastActivityTimestampByAddressesV2: 'xl',
    getBalancesByAddresses: 'xl',
    getBlockById: 'xl',
    listPrimaryNetworkBlocksByNodeId: 'medium',
  })
})
