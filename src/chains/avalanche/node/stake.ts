import { BadAnswerError, BadInputError } from '../../../errors.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import { JsonText } from '../../../upstream/json-rpc/json-text.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { decodeTop } from '../codec/layout.ts'
import { type TransferableOutput, transferableOutput } from '../codec/outputs.ts'
import { type AddressList, addressList } from './address-list.ts'
import { listOf, textOf } from './answers.ts'
import { askFor } from './ask.ts'

/** The node's own limit. */
export const MAX_STAKE_ADDRESSES = 256

/**
 * Outputs now staked by any of the addresses, as they appear in the staking transactions. The node names neither the
 * transaction nor an index, so two equal outputs are two stakes. Ordered by the end of the stake.
 * @param addresses Bech32 with the network's own HRP, without chain prefix; 1 to 256.
 * @param belongs whether an output belongs to one of them; if one does not, the answer is for another question.
 */
export async function readStake(
  pool: UpstreamPool,
  addresses: readonly string[] | AddressList,
  call: CallOptions,
  belongs?: (output: TransferableOutput) => boolean,
): Promise<TransferableOutput[]> {
  const list = 'json' in addresses ? addresses : addressList('P', addresses)
  if (list.size === 0 || list.size > MAX_STAKE_ADDRESSES) {
    throw new BadInputError(`getStake takes 1 to ${MAX_STAKE_ADDRESSES} addresses, got ${list.size}`)
  }
  const params = new JsonText(`{"addresses":${list.json},"encoding":"hex"}`)
  return askFor(pool, '/ext/bc/P', 'platform.getStake', params, call, (answer) => {
    const result = recordOf(answer, 'getStake')
    if (result['stakedOutputs'] === undefined) throw new BadAnswerError('getStake: stakedOutputs are missing')
    const outputs = listOf(result['stakedOutputs'], 'getStake stakedOutputs').map((text) =>
      decodeTop(transferableOutput, decodeNodeHex(textOf(text, 'getStake output')), 'staked output'),
    )
    if (belongs && !outputs.every(belongs)) throw new BadAnswerError('getStake: an output of none of the addresses')
    return outputs
  })
}
