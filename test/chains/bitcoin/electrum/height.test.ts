import { expect, it } from 'vitest'
import { createElectrumBackend } from '../../../../src/chains/bitcoin/electrum/backend.ts'
import { createElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { type ElectrumRequest, electrumLine } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

it('a server that has no height is not blamed: another tells it, and the first is asked first for balances', async () => {
  const tells = (height: number | null) => (request: ElectrumRequest) =>
    request.method === 'blockchain.headers.subscribe' ? electrumLine(request.id, { height }) : undefined
  server.fault = tells(null)
  second.fault = tells(7)
  const client = closing(
    createElectrumClient({
      network: 'mainnet',
      servers: [server, second].map(({ url }, priority) => ({ url, priority })),
      budget: { requestsPerSecond: 1_000_000, maxConcurrent: 64 },
    }),
  )
  expect(await createElectrumBackend({ client }).height(readContext())).toBe(7n)
  expect(await client.round([call('balance')], readContext())).toEqual([good])
  expect(server.seen.map(({ params }) => params[0])).toContain('balance')
})
