import type { NodeContext } from '../node-context.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import type { RecordedNetwork } from '../recorded/recorded-network.ts'
import { DecodeError, decodeCb58, EMPTY_ID } from '../wire/binary-text.ts'
import { type GorillaMethod, MethodError, NotRecordedError } from '../wire/gorilla-rpc.ts'
import type { PlatformState } from './platform-state.ts'

interface Deps {
  context: NodeContext
  chain: RecordedChain
  state: PlatformState
}

interface BlockTruth {
  chain: string
  height: number
  timestamp: number
  currentSupply?: string
}

type Chain = PlatformState['blockchains']['blockchains'][number]

function atTip({ context, state }: Deps): BlockTruth {
  const tip = context.tips.height('P')
  for (const line of context.recordings.lines('network/truth/blocks.ndjson.gz')) {
    if (!line.startsWith('{"chain":"P"')) continue
    const block = JSON.parse(line) as BlockTruth
    if (block.height === tip) return block
  }
  // Without a truth about blocks only the end is known.
  if (tip !== Number(state.height) || state.supply === undefined) {
    throw new NotRecordedError(`time and supply of P block ${tip} are not recorded`)
  }
  const timestamp = Math.floor(Date.parse(state.timestamp) / 1000)
  return { chain: 'P', height: tip, timestamp, currentSupply: state.supply.supply }
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** Chains that exist at the tip: the primary network's own, and those whose transaction is accepted. */
function blockchains({ state, chain }: Deps): Chain[] {
  return state.blockchains.blockchains.filter(
    ({ id, subnetID }) => subnetID === EMPTY_ID || chain.transaction(id, 'status') !== undefined,
  )
}

function subnets({ state, chain }: Deps): PlatformState['subnets'] {
  return state.subnets.filter(({ id }) => id === EMPTY_ID || chain.transaction(id, 'status') !== undefined)
}

function known(deps: Deps, id: string): boolean {
  return deps.chain.transaction(id, 'status') !== undefined || blockchains(deps).some((one) => one.id === id)
}

function blockchainMethods(deps: Deps): Record<string, GorillaMethod> {
  return {
    getBlockchains: () => JSON.stringify({ blockchains: blockchains(deps) }),
    getBlockchainStatus(args) {
      const text = args.text('blockchainID')
      if (text === '') throw new MethodError("argument 'blockchainID' not given")
      const id = deps.context.network.lookup(text) ?? text
      try {
        if (deps.context.network.lookup(text) === undefined) decodeCb58(text)
      } catch (error) {
        if (error instanceof DecodeError)
          throw new MethodError(`problem parsing blockchainID "${text}": ${error.message}`)
        throw error
      }
      if (id === EMPTY_ID) return '{"status":"Syncing"}'
      if (!blockchains(deps).some((one) => one.id === id)) return '{"status":"Unknown"}'
      return deps.context.network.lookup(id) === undefined ? '{"status":"Created"}' : '{"status":"Validating"}'
    },
    validatedBy(args) {
      const id = args.id('blockchainID')
      if (id === EMPTY_ID) return JSON.stringify({ subnetID: EMPTY_ID })
      const found = blockchains(deps).find((one) => one.id === id)
      if (found !== undefined) return JSON.stringify({ subnetID: found.subnetID })
      throw new MethodError(
        known(deps, id) ? `"${id}" is not a blockchain` : `problem retrieving blockchain "${id}": not found`,
      )
    },
  }
}

function subnetMethods(deps: Deps): Record<string, GorillaMethod> {
  return {
    validates(args) {
      const id = args.id('subnetID')
      if (id !== EMPTY_ID && !subnets(deps).some((one) => one.id === id)) {
        throw new MethodError(
          known(deps, id) ? `"${id}" is not a subnet` : `problem retrieving subnet "${id}": not found`,
        )
      }
      const blockchainIDs = blockchains(deps).filter((one) => one.subnetID === id)
      return JSON.stringify({ blockchainIDs: blockchainIDs.map((one) => one.id) })
    },
    getSubnet(args) {
      const id = args.id('subnetID')
      if (id === EMPTY_ID) throw new MethodError("the primary network isn't a subnet")
      const found = subnets(deps).find((one) => one.id === id)
      if (found !== undefined) return JSON.stringify(found.details)
      throw new MethodError(known(deps, id) ? `"${id}" is not a subnet` : 'not found')
    },
    getSubnets(args) {
      const ids = args.ids('ids')
      const all = subnets(deps)
      const wrong = ids.find((id) => all.every((one) => one.id !== id) && known(deps, id))
      if (wrong !== undefined) throw new MethodError(`"${wrong}" is not a subnet`)
      const listed = all.filter((one) => ids.length === 0 || ids.includes(one.id))
      const texts = listed.map(({ id, controlKeys, threshold }) => ({ id, controlKeys, threshold }))
      return JSON.stringify({ subnets: texts.length === 0 ? null : texts })
    },
  }
}

function needPrimary(id: string): void {
  if (id !== EMPTY_ID) throw new MethodError(`failed fetching subnet transformation for ${id}: not found`)
}

/**
 * A network of one's own may have other fees, by the node's flags: those that were recorded. Where none were, what the
 * node's program holds for mainnet, for the testnet, and for every other network.
 */
function validatorFeeConfig({ networkID, validatorFeeConfig: recorded }: RecordedNetwork): string {
  if (recorded !== undefined) return JSON.stringify(recorded)
  const excessConversionConstant = networkID === '1' ? 1_246_488_515 : networkID === '5' ? 51_937_021 : 865_617
  const minPrice = networkID === '1' || networkID === '5' ? 512 : 1
  return JSON.stringify({ capacity: 20_000, target: 10_000, minPrice, excessConversionConstant })
}

const FINAL_STATE = 'network/final-state.json'

const finalState = ({ recordings }: NodeContext): { validatorFeeState?: object } =>
  recordings.has(FINAL_STATE) ? recordings.json<{ validatorFeeState?: object }>(FINAL_STATE) : {}

/** The methods of platform.* about subnets, chains, supply, fees and time. */
export function platformNetworkMethods(deps: Deps): Record<string, GorillaMethod> {
  const { context, state } = deps
  const height = (): string => JSON.stringify({ height: String(context.tips.height('P')) })
  return {
    ...blockchainMethods(deps),
    ...subnetMethods(deps),
    getHeight: height,
    getProposedHeight: height,
    getTimestamp: () => JSON.stringify({ timestamp: rfc3339(atTip(deps).timestamp) }),
    getCurrentSupply(args) {
      if (args.id('subnetID') !== EMPTY_ID) throw new MethodError('fetching current supply failed: not found')
      return JSON.stringify({ supply: atTip(deps).currentSupply, height: String(context.tips.height('P')) })
    },
    getFeeConfig: () => context.network.raw('feeConfig'),
    // Gas capacity between recorded moments is not known: the recorded one with the tip's time.
    getFeeState: () => JSON.stringify({ ...state.feeState, timestamp: rfc3339(atTip(deps).timestamp) }),
    getValidatorFeeConfig: () => validatorFeeConfig(context.network),
    getValidatorFeeState() {
      const { validatorFeeState } = finalState(context)
      if (validatorFeeState === undefined) throw new NotRecordedError('the state of validator fees is not recorded')
      return JSON.stringify({ ...validatorFeeState, timestamp: rfc3339(atTip(deps).timestamp) })
    },
    getMinStake(args) {
      needPrimary(args.id('subnetID'))
      return JSON.stringify(state.minStake)
    },
    getStakingAssetID(args) {
      needPrimary(args.id('subnetID'))
      return JSON.stringify({ assetID: context.network.avaxAssetID })
    },
  }
}
