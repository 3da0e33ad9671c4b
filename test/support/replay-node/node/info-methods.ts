import { lookupChain, type NodeContext } from '../node-context.ts'
import type { Stakers } from '../platform/stakers.ts'
import type { ValidatorSets } from '../platform/validator-sets.ts'
import { DecodeError } from '../wire/binary-text.ts'
import { type GorillaMethod, MethodError, NotRecordedError } from '../wire/gorilla-rpc.ts'

interface Deps {
  context: NodeContext
  stakers: Stakers
  sets: ValidatorSets
  isBootstrapping: () => boolean
}

const PRIMARY_NETWORK = '11111111111111111111111111111111LpoYY'

interface ConnectedFile {
  primary: { validators: { nodeID: string; connected?: boolean; uptime?: string }[] }
}

/** The validators the node was connected to; addresses and times of peers are not part of the recordings. */
function peers({ context }: Deps, nodeIDs: readonly string[]): string {
  const { network, recordings } = context
  const { primary } = recordings.json<ConnectedFile>('network/platform-state.json')
  const connected = primary.validators.filter((one) => one.connected === true && one.nodeID !== network.nodeID)
  const wanted = nodeIDs.length === 0 ? connected.map((one) => one.nodeID) : nodeIDs
  const now = new Date(context.clock() * 1000).toISOString().replace('.000Z', 'Z')
  const list = wanted.flatMap((nodeID) => {
    const index = connected.findIndex((one) => one.nodeID === nodeID)
    if (index < 0) return []
    const ip = `127.0.0.1:${9653 + 2 * index}`
    return [
      {
        ip,
        publicIP: ip,
        nodeID,
        version: network.nodeVersion.version,
        upgradeTime: Math.floor(Date.parse((network.upgrades as { graniteTime: string }).graniteTime) / 1000),
        lastSent: now,
        lastReceived: now,
        observedUptime: '100',
        trackedSubnets: [PRIMARY_NETWORK],
        supportedACPs: [],
        objectedACPs: [],
        benched: [],
      },
    ]
  })
  return JSON.stringify({ numPeers: String(list.length), peers: list })
}

function bootstrapped({ context, isBootstrapping }: Deps, chain: string): string {
  if (chain === '') throw new MethodError("argument 'chain' not given")
  try {
    lookupChain(context.network, chain)
  } catch (error) {
    if (error instanceof DecodeError) throw new MethodError(`there is no chain with alias/ID '${chain}'`)
    throw error
  }
  return JSON.stringify({ isBootstrapped: !isBootstrapping() })
}

/** All methods of info.*. */
export function infoMethods(deps: Deps): Record<string, GorillaMethod> {
  const { network } = deps.context
  return {
    acps: () => '{"acps":{}}',
    isBootstrapped: (args) => bootstrapped(deps, args.text('chain')),
    getBlockchainID: (args) => JSON.stringify({ blockchainID: lookupChain(network, args.text('alias')) }),
    getNetworkID: () => JSON.stringify({ networkID: network.networkID }),
    getNetworkName: () => JSON.stringify({ networkName: network.networkName }),
    getNodeVersion: () => network.raw('nodeVersion'),
    getTxFee: () => network.raw('txFee'),
    getVMs: () => network.raw('vms'),
    upgrades: () => network.raw('upgrades'),
    getNodeIP: () => '{"ip":"127.0.0.1:9651"}',
    uptime: () => '{"rewardingStakePercentage":"100.0000","weightedAveragePercentage":"100.0000"}',
    peers: (args) => peers(deps, args.nodeIDs('nodeIDs')),
    getNodeID() {
      const own = deps.stakers
        .all()
        .find((staker) => staker.nodeID === network.nodeID && !staker.type.includes('Delegator'))
      const nodePOP = own === undefined ? undefined : deps.sets.signerOf(own)
      if (nodePOP === undefined) throw new NotRecordedError(`the key of ${network.nodeID} is not recorded`)
      return JSON.stringify({ nodeID: network.nodeID, nodePOP })
    },
  }
}
