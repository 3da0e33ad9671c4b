import { assembleXTx, decodePTx, decodeXGenesis, type PTx, type XTx } from '../../../../chains/avalanche/codec/index.ts'
import { listOf, textOf, uintOf } from '../../../../chains/avalanche/node/answers.ts'
import { askFor } from '../../../../chains/avalanche/node/ask.ts'
import { BadAnswerError } from '../../../../errors.ts'
import { idFromCb58, idToCb58 } from '../../../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../../lib/bytes/node-hex.ts'
import { type JsonRecord, recordOf } from '../../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../../upstream/types.ts'

const PATH = '/ext/bc/P'

/** A transaction of P, including genesis transactions. @throws BadAnswerError when the bytes do not hash to the id */
export function readPTx(pool: UpstreamPool, id: string, signal: AbortSignal): Promise<PTx> {
  const method = 'platform.getTx'
  return askFor(pool, PATH, method, { txID: idToCb58(id), encoding: 'hex' }, { signal }, (answer) => {
    const tx = decodePTx(decodeNodeHex(textOf(recordOf(answer, method)['tx'], method)))
    if (tx.id !== id) throw new BadAnswerError(`${method}: another transaction than ${idToCb58(id)}`)
    return tx
  })
}

/** X's genesis assets, contained in the transaction that created the chain. */
export function xTxsOf({ id, unsignedTx }: PTx): XTx[] {
  if (unsignedTx.type !== 'CreateChainTx') throw new BadAnswerError(`${id} makes no chain`)
  return decodeXGenesis(unsignedTx.genesisData).map(({ tx }) => assembleXTx(tx, []))
}

export interface CurrentStaker {
  txId: string
  /** nAVAX; higher for earlier validators under otherwise equal terms. */
  potentialReward: bigint
}

/** Current validators of the primary network. */
export function readCurrentStakers(pool: UpstreamPool, signal: AbortSignal): Promise<CurrentStaker[]> {
  const method = 'platform.getCurrentValidators'
  return askFor(pool, PATH, method, {}, { signal }, (answer) =>
    listOf(recordOf(answer, method)['validators'] ?? null, method).map((entry) => {
      const validator: JsonRecord = recordOf(entry, method)
      return {
        txId: idFromCb58(textOf(validator['txID'], method)),
        potentialReward: uintOf(validator['potentialReward'] ?? 0, method),
      }
    }),
  )
}

/** nAVAX. */
export function readSupply(pool: UpstreamPool, call: CallOptions): Promise<bigint> {
  const method = 'platform.getCurrentSupply'
  return askFor(pool, PATH, method, {}, { ...call, fresh: true }, (answer) =>
    uintOf(recordOf(answer, method)['supply'], method),
  )
}
