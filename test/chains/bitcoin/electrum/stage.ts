import { afterEach, beforeEach } from 'vitest'
import type { ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { type FakeElectrum, startFakeElectrum } from './fake-server.ts'

/** A question of clients, and what `good` says to it. */
export const call = (name: string) => ['blockchain.scripthash.get_balance', [name]] as const
export const good = { ok: true, value: { confirmed: 7, unconfirmed: -2 } }

export interface ElectrumStage {
  server: FakeElectrum
  second: FakeElectrum
  /** Closed when the test is over. */
  closing(client: ElectrumClient): ElectrumClient
}

/** Two servers for each test. `set` is told of them before it begins. */
export function electrumStage(set: (stage: ElectrumStage) => void): void {
  const clients: ElectrumClient[] = []
  let servers: readonly FakeElectrum[] = []
  beforeEach(async () => {
    const [server, second] = await Promise.all([startFakeElectrum(), startFakeElectrum()])
    servers = [server, second]
    const closing = (client: ElectrumClient): ElectrumClient => {
      clients.push(client)
      return client
    }
    set({ server, second, closing })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    await Promise.all(servers.map((server) => server.close()))
  })
}
