import type { Logger } from 'pino'
import {
  genesisOrder,
  outputFields,
  type PBlock,
  type PTx,
  type Utxo,
} from '../../../../chains/avalanche/codec/index.ts'
import type { AvalancheNetwork } from '../../../../chains/avalanche/index.ts'
import { readUtxos } from '../../../../chains/avalanche/node/index.ts'
import { formatBech32Address } from '../../../../lib/bytes/bech32-address.ts'
import { EMPTY_ID, hexToBytes } from '../../../../lib/bytes/ids.ts'
import { inChunks } from '../../../../lib/in-chunks.ts'
import type { NetworkSetup } from '../../network-setup.ts'
import type { PGenesisFacts } from '../../p/genesis.ts'
import type { BlockSource } from '../../sources/block-source.ts'
import { GenesisError, type GenesisSource, type XGenesisFacts } from '../genesis-source.ts'
import { type ChainScan, createChainScan } from './chain-scan.ts'
import { readCurrentStakers, readPTx, xTxsOf } from './node-questions.ts'
import { proveBySupply } from './supply-proof.ts'

export interface InferredGenesisDeps {
  network: AvalancheNetwork
  source: BlockSource<PBlock>
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  logger: Logger
}

/** Addresses in one request for UTXOs. */
const ADDRESSES = 512

/**
 * A genesis without its file. A node still has the transactions of chains, X's assets and the first validators, and
 * they hash to their ids. Allocations on P are derived from the inputs that spent them, or are still among the node's
 * UTXOs.
 */
export function createInferredGenesis(deps: InferredGenesisDeps): GenesisSource {
  const { network, source, setup, logger } = deps
  const { pool } = network
  let chains: PTx[] | undefined
  let found: PGenesisFacts | undefined

  const chainTxs = async (signal: AbortSignal): Promise<PTx[]> => {
    const { ids } = await setup(signal)
    chains ??= [await readPTx(pool, ids.xChainId, signal), await readPTx(pool, ids.cChainId, signal)]
    return chains
  }

  const infer = async (signal: AbortSignal): Promise<PGenesisFacts> => {
    logger.warn({ network: network.known()?.networkId }, 'no genesis file: reading the whole P-chain to infer it')
    const made = await chainTxs(signal)
    const [x] = made
    const xOutputs = x ? xTxsOf(x).flatMap(initialOutputs) : []
    const scan = createChainScan(source, await source.genesis(signal))
    await scan.advance(signal)
    const validators = await firstValidators(deps, scan, signal)
    const owners = new Set(scan.addresses)
    for (const output of [...xOutputs, ...validators.flatMap(validatorOutputs)])
      for (const address of outputFields(output).addresses) owners.add(address)
    const held = await heldAllocations(deps, [...owners], signal)
    // Includes allocations spent while the node was asked.
    await scan.advance(signal)
    const utxos = inOrder([...scan.spent.values(), ...held])
    const timestamp = startOf(validators)
    const { ids } = await setup(signal)
    const stakes = validators.flatMap(validatorOutputs)
    const initialSupply = sum([...xOutputs, ...stakes, ...utxos.map(({ output }) => output)])
    const facts: PGenesisFacts = { utxos, validators, chains: made, timestamp, initialSupply }
    if (utxos.some(({ assetId }) => assetId !== ids.avaxAssetId)) throw new GenesisError('an allocation is not AVAX')
    await proveBySupply({ pool, source, setup: await setup(signal) }, facts, signal)
    logger.warn({ allocations: utxos.length, validators: validators.length }, 'genesis inferred')
    return facts
  }

  return {
    isInferred: async () => true,
    async load(_genesisId, signal) {
      found ??= await infer(signal)
      return found
    },
    async assets(_genesisId, signal): Promise<XGenesisFacts> {
      const { ids } = await setup(signal)
      const [x] = await chainTxs(signal)
      const xTxs = x ? xTxsOf(x) : []
      const [avax] = xTxs
      if (avax?.id !== ids.avaxAssetId) throw new GenesisError('X begins with another asset than AVAX')
      return { ...ids, xTxs }
    },
  }
}

type XTx = ReturnType<typeof xTxsOf>[number]

function initialOutputs({ unsignedTx }: XTx): Utxo['output'][] {
  return unsignedTx.type === 'CreateAssetTx' ? unsignedTx.initialStates.flatMap(({ outputs }) => outputs) : []
}

function validatorOutputs({ unsignedTx }: PTx): Utxo['output'][] {
  return 'stakeOutputs' in unsignedTx ? unsignedTx.stakeOutputs.map(({ output }) => output) : []
}

const sum = (outputs: readonly Utxo['output'][]): bigint =>
  outputs.reduce((total, output) => total + (outputFields(output).amount ?? 0n), 0n)

/** Validators that no block added: rewarded ones, and those that still validate. */
async function firstValidators(
  { network: { pool } }: InferredGenesisDeps,
  scan: ChainScan,
  signal: AbortSignal,
): Promise<PTx[]> {
  const rewards = new Map(
    (await readCurrentStakers(pool, signal)).map(({ txId, potentialReward }) => [txId, potentialReward]),
  )
  await scan.advance(signal)
  const ids = new Set([...scan.foreignStakers, ...[...rewards.keys()].filter((id) => !scan.knownStakers.has(id))])
  const txs: PTx[] = []
  for (const id of ids) {
    const tx = await readPTx(pool, id, signal)
    const { unsignedTx } = tx
    // A validator added by a recent block had to pay for its stake.
    if ('inputs' in unsignedTx && unsignedTx.inputs.length === 0 && 'stakeOutputs' in unsignedTx) txs.push(tx)
  }
  // Among equals the earlier one found a smaller supply, so it was promised a larger reward.
  return genesisOrder(txs.toSorted((a, b) => (rewardOf(rewards, b) > rewardOf(rewards, a) ? 1 : -1)))
}

const rewardOf = (rewards: ReadonlyMap<string, bigint>, { id }: PTx): bigint => rewards.get(id) ?? 0n

function startOf(validators: readonly PTx[]): bigint {
  const starts = validators.flatMap(({ unsignedTx }) => ('validator' in unsignedTx ? [unsignedTx.validator.start] : []))
  const [start] = starts
  if (start === undefined || starts.some((other) => other !== start))
    throw new GenesisError('the first validators do not tell when the network began')
  return start
}

/** Allocations that were never spent, of all known addresses. */
async function heldAllocations(
  { network }: InferredGenesisDeps,
  owners: readonly string[],
  signal: AbortSignal,
): Promise<Utxo[]> {
  const { hrp } = await network.facts({ signal })
  const held: Utxo[] = []
  for (const some of inChunks(owners, ADDRESSES)) {
    const addresses = some.map((owner) => formatBech32Address(hexToBytes(owner), hrp))
    const { utxos } = await readUtxos(network.pool, { chain: 'P', addresses }, { signal, sameServer: {} })
    held.push(...utxos.filter(({ txId }) => txId === EMPTY_ID))
  }
  return held
}

/** Allocations are numbered: a missing number is a missing allocation. For equal numbers the later one counts. */
function inOrder(utxos: readonly Utxo[]): Utxo[] {
  const byIndex = new Map(utxos.map((utxo) => [utxo.outputIndex, utxo]))
  const missing = Array.from({ length: byIndex.size }, (_, index) => index).find((index) => !byIndex.has(index))
  if (missing !== undefined)
    throw new GenesisError(`allocation ${missing} belongs to an address that never showed up: configure genesisFile`)
  return [...byIndex.values()].sort((a, b) => a.outputIndex - b.outputIndex)
}
