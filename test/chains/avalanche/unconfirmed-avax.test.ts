import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { emptyLedger } from './ledger-data.ts'
import { startLedgerNode } from './ledger-node.ts'

/** A gateway before a node that does not let through what tells of AVAX, for as long as that is so. */
async function startGateway(refusal: { status: number; hides: boolean }) {
  const node = await startLedgerNode(emptyLedger())
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming)
    if (refusal.hides && body.includes('Asset')) return outgoing.writeHead(refusal.status).end()
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${node.url}${incoming.url}`, { method: 'POST', headers, body })
    return outgoing.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pool = createUpstreamPool('gateway', [{ url }], { ...DEFAULT_LIMITS, hedgeMinMs: 0, maxAttempts: 1 })
  onTestFinished(async () => {
    vi.useRealTimers()
    await pool.close()
    server.close()
    await node.close()
  })
  return pool
}

test.each([403, 404, 500])(
  'a configured AVAX that nobody confirms (%i) counts until somebody tells another',
  async (status) => {
    const refusal = { status, hides: true }
    const pool = await startGateway(refusal)
    const avaxAssetId = idToCb58('3'.repeat(64))
    const network = createAvalancheNetwork({ pool, overrides: { avaxAssetId } })
    expect(await network.facts()).toMatchObject({ avaxAssetId })
    refusal.hides = false
    expect(await network.facts()).toMatchObject({ avaxAssetId })
    vi.useFakeTimers({ toFake: ['Date'], now: steadyNow() + 10_000 })
    await expect(network.facts()).rejects.toThrow(`avaxAssetId is configured as ${avaxAssetId}, and`)
  },
)
