import { PRIMARY_NETWORK_ID } from '../../facts/primary-network.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import type { Ask } from './ask.ts'
import { listIn, recordIn, textIn } from './members.ts'

export interface Blockchain {
  id: string
  name: string
  subnetID: string
  vmID: string
}

/** Concurrent calls to nodes; a large network has some thousand chains. */
const AT_ONCE = 16

/** An id that is a name, left-aligned in 32 bytes. */
const nameId = (name: string): string => idToCb58(Buffer.from(name.padEnd(32, '\0')).toString('hex'))

/** No transaction that a node returns contains the primary network's chains. */
const PRIMARY_CHAINS = [
  { alias: 'C', name: 'C-Chain', vmID: nameId('evm') },
  { alias: 'X', name: 'X-Chain', vmID: nameId('avm') },
]

async function primaryChains(ask: Ask): Promise<Blockchain[]> {
  return Promise.all(
    PRIMARY_CHAINS.map(async ({ alias, name, vmID }) => {
      const answer = recordIn(await ask('info.getBlockchainID', { alias }, 'info'), 'info.getBlockchainID')
      return { id: textIn(answer, 'blockchainID'), name, subnetID: PRIMARY_NETWORK_ID, vmID }
    }),
  )
}

async function chainOf(ask: Ask, id: string): Promise<Blockchain> {
  const answer = recordIn(await ask('platform.getTx', { txID: id, encoding: 'json' }, 'P'), 'platform.getTx')
  const tx = recordOf(recordOf(answer['tx'], 'tx')['unsignedTx'], 'unsignedTx')
  return { id, name: textIn(tx, 'chainName'), subnetID: textIn(tx, 'subnetID'), vmID: textIn(tx, 'vmID') }
}

/**
 * `platform.getBlockchains` from the subnets, the chains that each validates, and the transactions that created those
 * chains; in a node's order: newest subnet first, in it newest chain first, the primary network's last.
 * @throws errors of `ask`; BadAnswerError.
 */
export async function composeBlockchains(ask: Ask): Promise<Blockchain[]> {
  const answer = recordIn(await ask('platform.getSubnets', {}, 'P'), 'platform.getSubnets')
  const subnets = listIn(answer, 'subnets').map((subnet) => textIn(recordOf(subnet, 'subnet'), 'id'))
  const others = subnets.filter((id) => id !== PRIMARY_NETWORK_ID)
  const ids = await mapBounded(others, AT_ONCE, async (subnetID) => {
    const validates = recordIn(await ask('platform.validates', { subnetID }, 'P'), 'platform.validates')
    return listIn(validates, 'blockchainIDs').map(String)
  })
  const chains = await mapBounded(ids.flat(), AT_ONCE, (id) => chainOf(ask, id))
  return [...chains, ...(await primaryChains(ask))]
}
