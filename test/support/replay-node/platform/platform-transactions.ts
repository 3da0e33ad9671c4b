import type { NodeContext } from '../node-context.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import { encodedTransaction } from '../utxo-chains/block-methods.ts'
import { CODECS, readIssued } from '../utxo-chains/issued-transaction.ts'
import { type Encoding, reencoded } from '../wire/binary-text.ts'
import { type GorillaMethod, MethodError, NotRecordedError } from '../wire/gorilla-rpc.ts'
import { genesisRewards } from './genesis-rewards.ts'
import { genesisTransactions } from './genesis-transactions.ts'
import type { Stakers } from './stakers.ts'

interface Deps {
  context: NodeContext
  chain: RecordedChain
  stakers: Stakers
}

function inGenesis({ context, stakers }: Deps, id: string): boolean {
  const { X, C } = context.network.chains
  const staking = (): boolean => stakers.all().some((staker) => staker.genesis && staker.txID === id)
  return id === X || id === C || genesisTransactions(context.recordings).has(id) || staking()
}

/** Height of the block from which on a node tells what was paid under an id. */
function paidAt(chain: RecordedChain, stakers: Stakers, id: string): number {
  // Without a truth about stakers: paid where the end knows of a payment.
  if (stakers.all().length === 0) return 0
  const staker = stakers.all().find((one) => one.txID === id)
  if (staker) return staker.removedAtHeight ?? Number.POSITIVE_INFINITY
  // A period of a validator that renews itself is paid under the proposal that ends it, by the block behind that one.
  const proposedAt = chain.transaction(id, 'height')
  return proposedAt === undefined ? Number.POSITIVE_INFINITY : Number(proposedAt) + 1
}

function rewardUtxos({ context, chain, stakers }: Deps, id: string, encoding: Encoding): string {
  const none = JSON.stringify({ numFetched: '0', utxos: [], encoding })
  const recorded = chain.transaction(id, 'rewardUTXOs')
  if (paidAt(chain, stakers, id) > context.tips.height('P')) return none
  const { utxos } =
    recorded === undefined
      ? { utxos: genesisRewards(context.recordings).get(id) ?? [] }
      : (JSON.parse(recorded) as { utxos: string[] })
  if (encoding === 'json' && utxos.length > 0) {
    throw new MethodError("couldn't encode utxo as json: unsupported encoding in method")
  }
  const texts = utxos.map((utxo) => reencoded(utxo, encoding))
  return JSON.stringify({ numFetched: String(texts.length), utxos: texts, encoding })
}

function refuseAccepted(chain: RecordedChain, id: string): void {
  const json = chain.transaction(id, 'json')
  if (json === undefined) return
  const { unsignedTx } = JSON.parse(json) as { unsignedTx: { inputs?: { txID: string; outputIndex: number }[] } }
  const input = unsignedTx.inputs?.[0]
  const missing = input === undefined ? id : `${input.txID}:${input.outputIndex}`
  throw new MethodError(
    `couldn't issue tx: failed execution: standard tx ${id} failed execution: failed to read consumed UTXO ${missing} due to: not found`,
  )
}

/** getTx, getTxStatus, getRewardUTXOs and issueTx of platform.*. */
export function platformTransactionMethods(deps: Deps): Record<string, GorillaMethod> {
  const { context, chain } = deps
  return {
    getTx(args) {
      const id = args.id('txID')
      const encoding = args.encoding()
      const found = encodedTransaction(chain, id, encoding)
      if (found !== undefined) return found
      const genesis = genesisTransactions(context.recordings).get(id)
      if (encoding === 'json' && genesis?.json !== undefined) return `{"tx":${genesis.json},"encoding":"json"}`
      if (encoding !== 'json' && genesis) return JSON.stringify({ tx: reencoded(genesis.hex, encoding), encoding })
      if (inGenesis(deps, id)) throw new NotRecordedError(`the bytes of genesis transaction ${id} are not recorded`)
      throw new MethodError("couldn't get tx: not found")
    },
    getTxStatus(args) {
      const id = args.id('txID')
      const status = chain.transaction(id, 'status')
      if (status !== undefined) return status
      return inGenesis(deps, id) ? '{"status":"Committed"}' : '{"status":"Unknown"}'
    },
    getRewardUTXOs(args) {
      const id = args.id('txID')
      return rewardUtxos(deps, id, args.encoding())
    },
    issueTx(args) {
      const { id, bytes } = readIssued(args, CODECS.P)
      refuseAccepted(chain, id)
      context.issued('P', `0x${Buffer.from(bytes).toString('hex')}`)
      return JSON.stringify({ txID: id })
    },
  }
}
