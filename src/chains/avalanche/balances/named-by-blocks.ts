import { BadAnswerError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { bytesToHex, hexToBytes } from '../../../lib/bytes/ids.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import {
  type AtomicTx,
  decodeExtData,
  decodePBlock,
  decodeXBlock,
  expectExtData,
  type PBlock,
  type PTx,
  type XTx,
} from '../codec/index.ts'
import { textOf } from '../node/answers.ts'
import { readBlockBytes } from '../node/blocks.ts'
import { utxoName } from '../node/utxos.ts'

/** The UTXOs and owners that transactions name; these include all that the transactions can change. */
export interface Named {
  /** UTXOs in the form of `utxoName`, including each one that is consumed. */
  utxos: Set<string>
  /** Owners, hex, including those of each output that is created. */
  owners: Set<string>
}

/** Most blocks that are read; with more, reading the list again costs no more. */
export const MAX_BLOCKS = 64
const IN_FLIGHT = 8

/**
 * P's transactions that change nothing but what they name. The others pay out what an earlier transaction has locked:
 * rewards, returned stakes, the rest of an L1 validator's balance. Only the earlier one names the owners.
 */
const PLAIN_P_TXS: ReadonlySet<PTx['unsignedTx']['type']> = new Set([
  'AddDelegatorTx',
  'AddPermissionlessDelegatorTx',
  'AddPermissionlessValidatorTx',
  'AddSubnetValidatorTx',
  'AddValidatorTx',
  'BaseTx',
  'ConvertSubnetToL1Tx',
  'CreateChainTx',
  'CreateSubnetTx',
  'ExportTx',
  'ImportTx',
  'IncreaseL1ValidatorBalanceTx',
  'RegisterL1ValidatorTx',
  'RemoveSubnetValidatorTx',
  'TransferSubnetOwnershipTx',
  'TransformSubnetTx',
])

/**
 * What the blocks of a chain name, from the one after `after` to `last`; undefined when that does not cover all that
 * they change, or when there are too many blocks.
 * @throws FirnError when a block cannot be read
 */
export async function namedByBlocks(
  pool: UpstreamPool,
  chain: ChainLetter,
  after: bigint,
  last: bigint,
  call: CallOptions,
): Promise<Named | undefined> {
  const count = Number(last - after)
  if (count < 0 || count > MAX_BLOCKS) return undefined
  const heights = Array.from({ length: count }, (_, index) => after + 1n + BigInt(index))
  const blocks = await mapBounded(heights, IN_FLIGHT, (height) => readTxs[chain](pool, height, call))
  const named: Named = { utxos: new Set(), owners: new Set() }
  for (const txs of blocks) {
    if (!txs) return undefined
    for (const { unsignedTx } of txs) note(unsignedTx, named)
  }
  return named
}

/** Transactions of a block; undefined when the block changes more than they name. */
type ReadTxs = (
  pool: UpstreamPool,
  height: bigint,
  call: CallOptions,
) => Promise<readonly (PTx | XTx | AtomicTx)[] | undefined>

const readTxs: Readonly<Record<ChainLetter, ReadTxs>> = {
  P: async (pool, height, call) => {
    return plainTxs(decodePBlock(await readBlockBytes(pool, 'P', height, call)))
  },
  X: async (pool, height, call) => {
    return decodeXBlock(await readBlockBytes(pool, 'X', height, call)).txs
  },
  C: async (pool, height, call) => {
    const method = 'eth_getBlockByNumber'
    const params = [`0x${height.toString(16)}`, false]
    const block = recordOf(await pool.rpc('/ext/bc/C/rpc', method, params, call), method)
    const bytesOf = (member: string): Uint8Array => hexToBytes(textOf(block[member], method).slice(2))
    const told = BigInt(textOf(block['number'], method))
    if (told !== height) throw new BadAnswerError(`C block ${told} where ${height} was asked for`)
    // Contracts do not move what waits for import: only atomic transactions do, and some servers leave them out.
    const extData = bytesOf('blockExtraData')
    expectExtData({ number: told, extDataHash: bytesToHex(bytesOf('extDataHash')) }, extData)
    return decodeExtData(extData).txs
  },
}

/** Proposals and the decisions on them pay out rewards, so their blocks are excluded. */
function plainTxs(block: PBlock): readonly PTx[] | undefined {
  if (block.type === 'ApricotAtomicBlock') return onlyPlain([block.tx])
  if (block.type !== 'ApricotStandardBlock' && block.type !== 'BanffStandardBlock') return undefined
  return onlyPlain(block.txs)
}

const onlyPlain = (txs: readonly PTx[]): readonly PTx[] | undefined =>
  txs.every(({ unsignedTx }) => PLAIN_P_TXS.has(unsignedTx.type)) ? txs : undefined

/** Visits all members, so that no type of transaction can be forgotten here. */
function note(value: unknown, named: Named): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (Array.isArray(value)) {
    for (const entry of value) note(entry, named)
    return
  }
  const { txId, outputIndex, addresses } = value as { txId?: string; outputIndex?: number; addresses?: Uint8Array[] }
  if (txId !== undefined && outputIndex !== undefined) named.utxos.add(utxoName(txId, outputIndex))
  for (const address of addresses ?? []) named.owners.add(bytesToHex(address))
  for (const member of Object.values(value)) note(member, named)
}
