import { BadAnswerError } from '../../errors.ts'
import type { BitcoinBalances, Outcome } from '../capabilities.ts'
import { plausible, record, satoshi } from './amounts.ts'
import type { BitcoinBackend } from './backend.ts'
import type { ElectrumClient } from './electrum.ts'
import type { ElectrumCall } from './electrum-link.ts'
import { scriptHash } from './hashes.ts'

const read = (outcome: Outcome<unknown> | undefined): Outcome<BitcoinBalances> => {
  if (!outcome) return { ok: false, error: new BadAnswerError('Electrum round lost an answer') }
  if (!outcome.ok) return outcome
  try {
    const body = record(outcome.value, 'Electrum balance')
    return {
      ok: true,
      value: plausible({
        confirmed: satoshi(body.confirmed, 'confirmed'),
        unconfirmed: satoshi(body.unconfirmed, 'unconfirmed'),
      }),
    }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new BadAnswerError(String(error)) }
  }
}

/** Electrum: `blockchain.scripthash.get_balance` for all addresses in one pipelined round. Satoshi. */
export const createElectrumBackend = (deps: { client: ElectrumClient }): BitcoinBackend => ({
  name: deps.client.name,
  async readBalances(addresses, context) {
    const calls = addresses.map(
      ({ script }): ElectrumCall => ['blockchain.scripthash.get_balance', [scriptHash(script)]],
    )
    const outcomes = await deps.client.round(calls, context)
    return new Map(addresses.map(({ address }, index) => [address, read(outcomes[index])]))
  },
  close: async () => deps.client.close(),
})
