import { BadAnswerError } from '../../../errors.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { BitcoinBalances } from '../../capabilities.ts'
import { plausible, satoshi } from '../amounts.ts'
import type { BitcoinBackend, Told } from '../backend.ts'
import type { ElectrumClient } from './client.ts'
import { scriptHash } from './hashes.ts'
import type { ElectrumCall } from './link.ts'
import { heightIn, TIP_CALL } from './tip.ts'

const balancesIn = (answer: unknown): BitcoinBalances => {
  const body = recordOf(answer, 'Electrum balance')
  return plausible({
    confirmed: satoshi(body.confirmed, 'confirmed'),
    unconfirmed: satoshi(body.unconfirmed, 'unconfirmed'),
  })
}

const read = (outcome: Told<unknown> | undefined): Told<BitcoinBalances> => {
  if (!outcome) return { ok: false, error: new BadAnswerError('Electrum round lost an answer') }
  return outcome.ok ? { ...outcome, value: balancesIn(outcome.value) } : outcome
}

/** Electrum: `blockchain.scripthash.get_balance` for all addresses in one pipelined round. Satoshi. */
export const createElectrumBackend = (deps: { client: ElectrumClient }): BitcoinBackend => ({
  name: deps.client.name,
  addressesPerSecond: deps.client.callsPerSecond,
  async readBalances(addresses, context) {
    const calls = addresses.map(
      ({ script }): ElectrumCall => ['blockchain.scripthash.get_balance', [scriptHash(script)]],
    )
    const outcomes = await deps.client.round(calls, context, (answer) => void balancesIn(answer))
    return new Map(addresses.map(({ address }, index) => [address, read(outcomes[index])]))
  },
  async height(context) {
    // One that tells none may know every balance: it is not to blame.
    const [tip] = await deps.client.round([TIP_CALL], context, (answer) => void heightIn(answer), false)
    return tip?.ok ? heightIn(tip.value) : undefined
  },
})
