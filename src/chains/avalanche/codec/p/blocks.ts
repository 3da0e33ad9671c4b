import { sha256Hex } from '../../../../lib/bytes/sha256.ts'
import { type Decoded, decodeTop, encodeTop, list, union, variant } from '../layout.ts'
import { id, u64 } from '../primitives.ts'
import { pTx } from './txs.ts'

const apricot = { parentId: id, height: u64 }
/** `time`: the chain's time from this block on, unix seconds. */
const banff = { time: u64, parentId: id, height: u64 }

const pBlock = union(
  'P-chain block',
  variant(0, 'ApricotProposalBlock', { ...apricot, tx: pTx }),
  variant(1, 'ApricotAbortBlock', apricot),
  variant(2, 'ApricotCommitBlock', apricot),
  variant(3, 'ApricotStandardBlock', { ...apricot, txs: list(pTx) }),
  variant(4, 'ApricotAtomicBlock', { ...apricot, tx: pTx }),
  variant(29, 'BanffProposalBlock', { time: u64, decisionTxs: list(pTx), parentId: id, height: u64, tx: pTx }),
  variant(30, 'BanffAbortBlock', banff),
  variant(31, 'BanffCommitBlock', banff),
  variant(32, 'BanffStandardBlock', { ...banff, txs: list(pTx) }),
)

/** Inner block of the P-chain. Apricot blocks carry no time: AdvanceTimeTx moves it. */
export type PBlock = Decoded<typeof pBlock>

/**
 * Decodes an inner block, from platform.getBlock or from an envelope.
 * @throws CodecError
 */
export function decodePBlock(bytes: Uint8Array): PBlock {
  return decodeTop(pBlock, bytes, 'P-chain block')
}

export function encodePBlock(block: PBlock): Buffer {
  return encodeTop(pBlock, block)
}

/** Hex id of an inner P or X block: sha256 of all its bytes. */
export function innerBlockId(bytes: Uint8Array): string {
  return sha256Hex(bytes)
}
