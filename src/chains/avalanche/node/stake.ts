import { BadAnswerError, BadInputError } from '../../../errors.ts'
import { decodeNodeHex } from '../../../lib/node-hex.ts'
import { JsonText } from '../../../upstream/json-text.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { decodeTop } from '../codec/layout.ts'
import { type TransferableOutput, transferableOutput } from '../codec/outputs.ts'
import { type AddressList, addressList } from './address-list.ts'
import { listOf, recordOf, textOf } from './answers.ts'
import { ask } from './ask.ts'

/** The node's own limit. */
export const MAX_STAKE_ADDRESSES = 256

/**
 * Outputs now staked by any of the addresses, as they stand in the staking transactions. The node names neither the
 * transaction nor an index, so two equal outputs are two stakes. Ordered by the end of the stake.
 * @param addresses Bech32 with the network's own HRP, without chain prefix; 1 to 256.
 */
export async function readStake(
  pool: UpstreamPool,
  addresses: readonly string[] | AddressList,
  call: CallOptions,
): Promise<TransferableOutput[]> {
  const list = 'json' in addresses ? addresses : addressList('P', addresses)
  if (list.size === 0 || list.size > MAX_STAKE_ADDRESSES) {
    throw new BadInputError(`getStake takes 1 to ${MAX_STAKE_ADDRESSES} addresses, got ${list.size}`)
  }
  const params = new JsonText(`{"addresses":${list.json},"encoding":"hex"}`)
  const result = recordOf(await ask(pool, '/ext/bc/P', 'platform.getStake', params, call), 'getStake')
  if (result['stakedOutputs'] === undefined) throw new BadAnswerError('getStake: stakedOutputs are missing')
  return listOf(result['stakedOutputs'], 'getStake stakedOutputs').map((text) =>
    decodeTop(transferableOutput, decodeNodeHex(textOf(text, 'getStake output')), 'staked output'),
  )
}
