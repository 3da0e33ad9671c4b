import { addressOf, addressText, checkedAddress, lookupChain, type NodeContext } from '../node-context.ts'
import type { PrimaryAlias } from '../recorded/recorded-network.ts'
import { DecodeError, decodeCb58, type Encoding, reencoded } from '../wire/binary-text.ts'
import type { Arguments } from '../wire/gorilla-arguments.ts'
import { MethodError } from '../wire/gorilla-rpc.ts'
import { FIRST_PAGE, type RecordedUtxo } from './utxo-sets.ts'

const MAX_ADDRESSES = 1024
const MAX_PAGE = 1024

const UNENCODABLE: Record<PrimaryAlias, (id: string) => string> = {
  P: (id) => `couldn't encode UTXO ${id} as json: unsupported encoding in method`,
  X: (id) => `couldn't encode UTXO ${id} as string: unsupported encoding in method`,
  C: () => 'problem encoding utxo: unsupported encoding in method',
}

function sourceOf(context: NodeContext, chain: PrimaryAlias, source: string): PrimaryAlias | undefined {
  if (source === '') {
    if (chain === 'C') throw new MethodError('no source chain provided')
    return chain
  }
  try {
    const id = lookupChain(context.network, source)
    const aliases: readonly PrimaryAlias[] = ['P', 'X', 'C']
    return aliases.find((alias) => context.network.chains[alias] === id)
  } catch (error) {
    if (error instanceof DecodeError)
      throw new MethodError(`problem parsing source chainID "${source}": ${error.message}`)
    throw error
  }
}

function startOf(context: NodeContext, chain: PrimaryAlias, start: typeof FIRST_PAGE): typeof FIRST_PAGE {
  const { address, utxo } = start
  if (address === '' && utxo === '') return FIRST_PAGE
  let hex: string
  try {
    hex = chain === 'C' ? addressOf(context.network, chain, address) : checkedAddress(context.network, chain, address)
  } catch (error) {
    if (error instanceof DecodeError) {
      throw new MethodError(`couldn't parse start index address "${address}": ${error.message}`)
    }
    throw error
  }
  try {
    decodeCb58(utxo)
  } catch (error) {
    if (error instanceof DecodeError) throw new MethodError(`couldn't parse start index utxo: ${error.message}`)
    throw error
  }
  return { address: hex, utxo }
}

function encodeUtxos(utxos: readonly RecordedUtxo[], chain: PrimaryAlias, encoding: Encoding): string[] {
  return utxos.map((utxo) => {
    if (encoding === 'json') throw new MethodError(UNENCODABLE[chain](utxo.utxoId))
    return reencoded(utxo.utxoBytes, encoding)
  })
}

/** getUTXOs of platform, avm and avax; they differ in texts and in whether a source chain is needed. */
export function getUtxos(context: NodeContext, chain: PrimaryAlias, args: Arguments): string {
  const addresses = args.texts('addresses')
  const source = args.text('sourceChain')
  const limit = Number(args.uint('limit', 32))
  const after = args.object('startIndex')
  const startIndex = { address: after?.text('address') ?? '', utxo: after?.text('utxo') ?? '' }
  const encoding = args.encoding()
  if (addresses.length === 0) throw new MethodError('no addresses provided')
  if (addresses.length > MAX_ADDRESSES) {
    throw new MethodError(`number of addresses given, ${addresses.length}, exceeds maximum, ${MAX_ADDRESSES}`)
  }
  const from = sourceOf(context, chain, source)
  const owners = addresses.map((address) => checkedAddress(context.network, chain, address))
  const start = startOf(context, chain, startIndex)
  const size = limit <= 0 || limit > MAX_PAGE ? MAX_PAGE : limit
  const page = context.utxos.page({ chain, source: from ?? 'elsewhere' }, owners, start, size)
  const encoded = encodeUtxos(page.utxos, chain, encoding)
  const end = { address: addressText(context.network, chain, page.endAddress), utxo: page.endUtxo }
  return JSON.stringify({ numFetched: String(encoded.length), utxos: encoded, endIndex: end, encoding })
}
