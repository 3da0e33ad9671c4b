import {
  C_HEADER_FIELDS,
  type CBlock,
  type CHeader,
  cBlockId,
  expectExtData,
} from '../../../chains/avalanche/codec/index.ts'
import { BadAnswerError } from '../../../errors.ts'
import { hexToBytes } from '../../../lib/bytes/ids.ts'
import type { InnerBlock } from './formats.ts'

/** A C block from eth_getBlockByNumber: of its transactions only the hashes are known. */
export interface JsonCBlock extends InnerBlock<CBlock> {
  transactionHashes: string[]
}

/** JSON members that are named otherwise than the header's field. */
const MEMBERS: Readonly<Partial<Record<keyof CHeader, string>>> = {
  uncleHash: 'sha3Uncles',
  coinbase: 'miner',
  time: 'timestamp',
  baseFee: 'baseFeePerGas',
  parentBeaconRoot: 'parentBeaconBlockRoot',
  timeMilliseconds: 'timestampMilliseconds',
}

/**
 * Builds a C block from JSON. Its hash is recomputed from the header, and its extra data are checked against the
 * header.
 * @throws BadAnswerError when they do not match
 */
export function readJsonCBlock(value: unknown): JsonCBlock {
  const json = (value ?? {}) as Record<string, unknown>
  const header = headerOf(json)
  const id = cBlockId(header)
  if (hexOf(json, 'hash') !== id) throw new BadAnswerError(`C block ${header.number} is not what its hash says`)
  const extData = hexToBytes(json['blockExtraData'] === undefined ? '' : hexOf(json, 'blockExtraData'))
  expectExtData(header, extData)
  const hashes = Array.isArray(json['transactions']) ? json['transactions'] : []
  const block: CBlock = { id, header, transactions: [], uncles: [], version: 0n, extData }
  return {
    block,
    id,
    parentId: header.parentHash,
    height: header.number,
    time: header.time,
    size: Number(BigInt(String(json['size'] ?? 0))),
    transactionHashes: hashes.map((entry: unknown) =>
      hexText(typeof entry === 'string' ? entry : hashIn(entry), 'hash'),
    ),
  }
}

function headerOf(json: Record<string, unknown>): CHeader {
  const header: Partial<Record<keyof CHeader, string | bigint>> = {}
  for (const { name, isNumber } of C_HEADER_FIELDS) {
    const member = MEMBERS[name] ?? name
    if (json[member] == null) continue
    const hex = hexOf(json, member)
    header[name] = isNumber ? BigInt(`0x${hex}`) : hex
  }
  return header as unknown as CHeader
}

const hashIn = (value: unknown): unknown => (value as { hash?: unknown } | null)?.hash
const hexOf = (json: Record<string, unknown>, member: string): string => hexText(json[member], member)

function hexText(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new BadAnswerError(`C block: ${what} is no hex`)
  return value.slice(2).toLowerCase()
}
