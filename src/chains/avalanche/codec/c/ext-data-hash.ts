import { BadAnswerError } from '../../../../errors.ts'
import { EMPTY_ID } from '../../../../lib/bytes/ids.ts'
import { keccak256Hex } from '../../../../lib/bytes/keccak256.ts'
import type { CHeader } from './header.ts'
import { encodeRlpBytes } from './rlp.ts'

/** keccak256 of the RLP of nothing. */
const NOTHING = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/**
 * A C block's hash covers its header only; this check ties the atomic transactions to it. Before Apricot phase 1
 * headers do not cover them.
 * @throws BadAnswerError when the data do not match the header
 */
export function expectExtData(header: Pick<CHeader, 'extDataHash' | 'number'>, extData: Uint8Array): void {
  if (header.extDataHash === EMPTY_ID) return
  const hash = extData.length === 0 ? NOTHING : keccak256Hex(encodeRlpBytes(extData))
  if (hash !== header.extDataHash) throw new BadAnswerError(`extra data of C block ${header.number} are not its own`)
}
