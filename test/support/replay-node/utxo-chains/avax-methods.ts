import type { NodeContext } from '../node-context.ts'
import { EMPTY_ID, reencoded } from '../wire/binary-text.ts'
import { type GorillaMethod, MethodError } from '../wire/gorilla-rpc.ts'
import { CODECS, readIssued } from './issued-transaction.ts'
import { getUtxos } from './utxo-methods.ts'

interface AtomicLine {
  id: string
  tx: { tx?: string; blockHeight?: string }
  status: { status?: string; blockHeight?: string }
}

/** All methods of avax.* at /ext/bc/C/avax. */
export function avaxMethods(context: NodeContext): Record<string, GorillaMethod> {
  let loaded: Map<string, AtomicLine> | undefined
  const accepted = (id: string): AtomicLine | undefined => {
    loaded ??= new Map(
      [...context.recordings.lines('network/c-atomic-txs.ndjson.gz')]
        .map((line) => JSON.parse(line) as AtomicLine)
        .map((line) => [line.id, line]),
    )
    const line = loaded.get(id)
    const height = Number(line?.tx.blockHeight ?? Number.POSITIVE_INFINITY)
    return height <= context.tips.height('C') ? line : undefined
  }
  const nonZero = (id: string): string => {
    if (id === EMPTY_ID) throw new MethodError('nil transaction ID')
    return id
  }
  return {
    getUTXOs: (args) => getUtxos(context, 'C', args),
    getAtomicTx(args) {
      const id = args.id('txID')
      const encoding = args.encoding()
      const line = accepted(nonZero(id))
      if (line?.tx.tx === undefined) throw new MethodError(`could not find tx ${id}`)
      if (encoding === 'json') throw new MethodError('unsupported encoding in method')
      return JSON.stringify({ tx: reencoded(line.tx.tx, encoding), encoding, blockHeight: line.tx.blockHeight })
    },
    getAtomicTxStatus(args) {
      const line = accepted(nonZero(args.id('txID')))
      return line === undefined ? '{"status":"Unknown"}' : JSON.stringify(line.status)
    },
    issueTx(args) {
      const { id, bytes } = readIssued(args, CODECS.C)
      context.issued('C atomic', `0x${Buffer.from(bytes).toString('hex')}`)
      return JSON.stringify({ txID: id })
    },
  }
}
