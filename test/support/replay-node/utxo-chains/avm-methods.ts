import { checkedAddress, type NodeContext } from '../node-context.ts'
import { addTo } from '../platform/platform-balances.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import { DecodeError, EMPTY_ID, isCb58 } from '../wire/binary-text.ts'
import type { Arguments } from '../wire/gorilla-arguments.ts'
import { type GorillaMethod, MethodError } from '../wire/gorilla-rpc.ts'
import { blockMethods, encodedTransaction } from './block-methods.ts'
import { CODECS, readIssued } from './issued-transaction.ts'
import { getUtxos } from './utxo-methods.ts'
import { FIRST_PAGE, type RecordedUtxo } from './utxo-sets.ts'

const ALIAS = 'AVAX'

function ownerOf(context: NodeContext, text: string): string {
  try {
    return checkedAddress(context.network, 'X', text)
  } catch (error) {
    if (error instanceof DecodeError) throw new MethodError(`problem parsing address '${text}': ${error.message}`)
    throw error
  }
}

function assetOf(context: NodeContext, text: string): string {
  if (text === ALIAS) return context.network.avaxAssetID
  if (!isCb58(text, 32)) throw new MethodError(`asset '${text}' not found`)
  return text
}

/** What counts for a balance: plain outputs, and with `includePartial` also shared and locked ones. */
function counted(context: NodeContext, owner: string, includePartial: boolean): RecordedUtxo[] {
  const place = { chain: 'X', source: 'X' } as const
  return context.utxos
    .page(place, [owner], FIRST_PAGE, Number.POSITIVE_INFINITY)
    .utxos.filter((utxo) => utxo.type === 'secp.TransferOutput')
    .filter((utxo) => includePartial || (utxo.addresses.length === 1 && utxo.locktime <= context.clock()))
}

function balanceMethods(context: NodeContext): Record<string, GorillaMethod> {
  return {
    getBalance(args: Arguments) {
      const address = args.text('address')
      const assetText = args.text('assetID')
      const partial = args.flag('includePartial')
      const owner = ownerOf(context, address)
      const asset = assetOf(context, assetText)
      const utxos = counted(context, owner, partial).filter((utxo) => utxo.assetId === asset)
      const balance = utxos.reduce((sum, utxo) => sum + BigInt(utxo.amount ?? 0), 0n)
      const utxoIDs = utxos.map(({ txHash, outputIndex }) => ({ txID: txHash, outputIndex }))
      return JSON.stringify({ balance: String(balance), utxoIDs })
    },
    getAllBalances(args: Arguments) {
      const address = args.text('address')
      const partial = args.flag('includePartial')
      const sums = new Map<string, bigint>()
      for (const utxo of counted(context, ownerOf(context, address), partial)) {
        addTo(sums, utxo.assetId, BigInt(utxo.amount ?? 0))
      }
      const name = (asset: string): string => (asset === context.network.avaxAssetID ? ALIAS : asset)
      const balances = [...sums].map(([asset, balance]) => ({ asset: name(asset), balance: String(balance) }))
      return JSON.stringify({ balances })
    },
  }
}

function transactionMethods(context: NodeContext, chain: RecordedChain): Record<string, GorillaMethod> {
  const nonZero = (id: string): string => {
    if (id === EMPTY_ID) throw new MethodError('nil transaction ID')
    return id
  }
  return {
    getTx(args) {
      const id = args.id('txID')
      const encoding = args.encoding()
      const found = encodedTransaction(chain, nonZero(id), encoding)
      if (found === undefined) throw new MethodError('not found')
      return found
    },
    getTxStatus: (args) => chain.transaction(nonZero(args.id('txID')), 'status') ?? '{"status":"Unknown"}',
    issueTx(args) {
      const { id, bytes } = readIssued(args, CODECS.X)
      context.issued('X', `0x${Buffer.from(bytes).toString('hex')}`)
      return JSON.stringify({ txID: id })
    },
  }
}

/** All methods of avm.* the newest node has. */
export function avmMethods(context: NodeContext, chain: RecordedChain): Record<string, GorillaMethod> {
  const { network, tips } = context
  return {
    ...blockMethods(chain),
    ...balanceMethods(context),
    ...transactionMethods(context, chain),
    getHeight: () => JSON.stringify({ height: String(tips.height('X')) }),
    getUTXOs: (args) => getUtxos(context, 'X', args),
    getTxFee() {
      const { txFee, createAssetTxFee } = network.txFee
      return JSON.stringify({ txFee, createAssetTxFee })
    },
    getAssetDescription(args) {
      const id = assetOf(context, args.text('assetID'))
      const asset = network.assets.find((one) => one.assetID === id) ?? assetMadeBy(id, chain.transaction(id, 'json'))
      const accepted = id === network.avaxAssetID || chain.transaction(id, 'status') !== undefined
      if (!accepted) throw new MethodError('not found')
      if (asset === undefined) throw new MethodError("transaction doesn't create an asset")
      const { assetID, name, symbol, denomination } = asset
      return JSON.stringify({ assetID, name, symbol, denomination })
    },
  }
}

/** What a transaction says of the asset that it makes: a list of assets may not name them all. */
function assetMadeBy(assetID: string, json: string | undefined) {
  const made = json === undefined ? undefined : (JSON.parse(json) as { unsignedTx: Partial<Asset> }).unsignedTx
  if (made?.name === undefined || made.symbol === undefined || made.denomination === undefined) return undefined
  return { assetID, name: made.name, symbol: made.symbol, denomination: String(made.denomination) }
}

interface Asset {
  name: string
  symbol: string
  denomination: number
}

/** wallet.* at /ext/bc/X/wallet: what is left of it issues transactions. */
export function walletMethods(avm: Record<string, GorillaMethod>): Record<string, GorillaMethod> {
  return avm['issueTx'] === undefined ? {} : { issueTx: avm['issueTx'] }
}
