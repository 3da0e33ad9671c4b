import type { PTx } from '../../../../chains/avalanche/codec/index.ts'
import { recoverPublicKey } from '../../../../chains/avalanche/keys/recovered-key.ts'
import { hash160 } from '../../../../lib/bytes/hash160.ts'
import { bytesToHex } from '../../../../lib/bytes/ids.ts'

/** Address (hex) whose key made the first signature for an input; undefined if there is no readable signature. */
export function signerOf(tx: PTx, input: number): string | undefined {
  const signature = tx.credentials[input]?.signatures[0]
  const key = signature && recoverPublicKey(tx, signature)
  return key && bytesToHex(hash160(key))
}
