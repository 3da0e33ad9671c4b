import { bytesToHex, EMPTY_ID } from '../../../../lib/bytes/ids.ts'
import { assemblePTx, type PTx } from '../p/txs.ts'
import { assembleXTx, type UnsignedXTx } from '../x/txs.ts'
import { encodePGenesis, encodeXGenesis } from './bytes.ts'
import { type GenesisConfig, parseGenesisConfig } from './config.ts'
import { type Genesis, readGenesis } from './genesis.ts'
import { type GenesisAmount, genesisOutput, genesisValidators } from './stakers.ts'

/**
 * Builds a network's genesis from the node's own JSON (genesis.json), as a node does when it starts.
 * @param startTime replaces the file's: the local network (12345) moves its start, see `localStartTimes`.
 * @throws BadInputError when a member is missing in the JSON.
 */
export function buildGenesis(json: string, startTime?: number): Genesis {
  return readGenesis(buildGenesisBytes(json, startTime))
}

/** The bytes whose sha256 is the genesis id; parameters as above. */
export function buildGenesisBytes(json: string, startTime?: number): Buffer {
  const config = parseGenesisConfig(json)
  return genesisBytes(startTime === undefined ? config : { ...config, startTime })
}

const LOCAL_START = 1_721_016_000
/** 270 days. */
const LOCAL_PERIOD = 23_328_000

/**
 * All starts that the local network's genesis has had, and the next one, which a node whose clock is ahead may have;
 * newest first. Unix seconds, as `now`.
 */
export function localStartTimes(now: number): number[] {
  const next = Math.max(0, Math.floor((now - LOCAL_START) / LOCAL_PERIOD)) + 1
  return Array.from({ length: next + 1 }, (_, back) => LOCAL_START + (next - back) * LOCAL_PERIOD)
}

function genesisBytes(config: GenesisConfig): Buffer {
  const avax = avaxTx(config)
  const assetId = assembleXTx(avax, []).id
  const start = BigInt(config.startTime)
  return encodePGenesis({
    utxos: freeAmounts(config).map((entry, outputIndex) => ({
      txId: EMPTY_ID,
      outputIndex,
      assetId,
      output: genesisOutput(entry, start),
      message: entry.ethAddress,
    })),
    validators: genesisValidators(config, assetId),
    chains: [
      chainTx(
        config,
        'X-Chain',
        'avm',
        ['secp256k1fx', 'nftfx', 'propertyfx'],
        encodeXGenesis([{ alias: 'AVAX', tx: avax }]),
      ),
      chainTx(config, 'C-Chain', 'evm', [], Buffer.from(config.cChainGenesis, 'utf8')),
    ],
    timestamp: start,
    initialSupply: totalSupply(config),
    message: config.message,
  })
}

function freeAmounts(config: GenesisConfig): (GenesisAmount & { ethAddress: Uint8Array })[] {
  return config.allocations
    .filter(({ address }) => !config.initialStakedFunds.has(bytesToHex(address)))
    .flatMap(({ address, ethAddress, unlockSchedule }) =>
      unlockSchedule.filter((lock) => lock.amount > 0n).map((lock) => ({ ...lock, address, ethAddress })),
    )
}

function totalSupply(config: GenesisConfig): bigint {
  let sum = 0n
  for (const { initialAmount, unlockSchedule } of config.allocations) {
    sum += initialAmount
    for (const lock of unlockSchedule) sum += lock.amount
  }
  return sum
}

/** X starts with one asset; its memo holds the ETH addresses of the holders. */
function avaxTx(config: GenesisConfig): Extract<UnsignedXTx, { type: 'CreateAssetTx' }> {
  const holders = config.allocations
    .filter((entry) => entry.initialAmount > 0n)
    .toSorted((a, b) =>
      a.initialAmount === b.initialAmount
        ? Buffer.compare(a.address, b.address)
        : a.initialAmount < b.initialAmount
          ? -1
          : 1,
    )
  return {
    type: 'CreateAssetTx',
    networkId: config.networkId,
    blockchainId: EMPTY_ID,
    outputs: [],
    inputs: [],
    memo: Buffer.concat(holders.map((entry) => entry.ethAddress)),
    name: 'Avalanche',
    symbol: 'AVAX',
    denomination: 9,
    // Sorting by (amount, address) equals sorting by bytes: locktime and threshold between the two are the same in all.
    initialStates: [
      {
        fxIndex: 0,
        outputs: holders.map(({ address, initialAmount }) => ({
          type: 'secp-transfer',
          amount: initialAmount,
          locktime: 0n,
          threshold: 1,
          addresses: [address],
        })),
      },
    ],
  }
}

function chainTx(config: GenesisConfig, chainName: string, vm: string, fxs: string[], genesisData: Uint8Array): PTx {
  return assemblePTx(
    {
      type: 'CreateChainTx',
      networkId: config.networkId,
      blockchainId: EMPTY_ID,
      outputs: [],
      inputs: [],
      memo: new Uint8Array(0),
      subnetId: EMPTY_ID,
      chainName,
      vmId: asciiId(vm),
      fxIds: fxs.map(asciiId),
      genesisData,
      subnetAuth: { type: 'secp-auth', sigIndices: [] },
    },
    [],
  )
}

/** Ids of the built-in VMs and feature extensions are their names padded with zeros. */
function asciiId(name: string): string {
  return Buffer.from(name, 'ascii').toString('hex').padEnd(64, '0')
}
