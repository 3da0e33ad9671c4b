import * as secp256k1 from '@bitcoinerlab/secp256k1'
import { address as codec, type Network, opcodes } from 'bitcoinjs-lib'
import { BadInputError } from '../../errors.ts'
import { type BitcoinNetworkName, bitcoinNetworks, networkOfReference } from './network.ts'

/** A checked address that belongs to the chain. */
export interface BitcoinAddress {
  /** The same script in the chain's own form (HRP, version byte); used in requests to servers. */
  address: string
  /** Output script, by which Electrum servers index. */
  script: Uint8Array
}

/** A decoded address: a hash with a version byte, or a witness program with an HRP. */
type Decoded =
  | { form: 'base58'; version: number; hash: Uint8Array }
  | { form: 'segwit'; prefix: string; version: number; data: Uint8Array }

const HASH_BYTES = 20
const PROGRAM_BYTES = 32

const orNothing = <T>(decode: () => T): T | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}

/** Checks checksum and form; undefined when either is wrong. */
const decode = (id: string): Decoded | undefined => {
  const base58 = orNothing(() => codec.fromBase58Check(id))
  if (base58) return { form: 'base58', ...base58 }
  const segwit = orNothing(() => codec.fromBech32(id))
  return segwit && { form: 'segwit', ...segwit }
}

const belongs = (decoded: Decoded, forms: Network): boolean =>
  decoded.form === 'base58'
    ? decoded.version === forms.pubKeyHash || decoded.version === forms.scriptHash
    : decoded.prefix === forms.bech32

/**
 * P2PKH, P2SH, P2WPKH, P2WSH or P2TR script; undefined for a witness program without rules. Written out here because
 * the library's payment classes take ten times as long as all checks together.
 */
const scriptOf = (decoded: Decoded, forms: Network): Uint8Array | undefined => {
  if (decoded.form === 'base58') {
    const { hash, version } = decoded
    return version === forms.pubKeyHash
      ? Buffer.from([
          opcodes.OP_DUP,
          opcodes.OP_HASH160,
          HASH_BYTES,
          ...hash,
          opcodes.OP_EQUALVERIFY,
          opcodes.OP_CHECKSIG,
        ])
      : Buffer.from([opcodes.OP_HASH160, HASH_BYTES, ...hash, opcodes.OP_EQUAL])
  }
  const { data, version } = decoded
  const known =
    (version === 0 && (data.length === HASH_BYTES || data.length === PROGRAM_BYTES)) ||
    (version === 1 && data.length === PROGRAM_BYTES && secp256k1.isXOnlyPoint(data))
  return known ? Buffer.from([version === 0 ? opcodes.OP_0 : opcodes.OP_1, data.length, ...data]) : undefined
}

/** The same script in another network's form. */
const write = (decoded: Decoded, from: Network, to: Network): string => {
  if (decoded.form === 'segwit') return codec.toBech32(decoded.data, decoded.version, to.bech32)
  const version = decoded.version === from.pubKeyHash ? to.pubKeyHash : to.scriptHash
  return codec.toBase58Check(decoded.hash, version)
}

/**
 * Checks addresses of one chain (checksum, form, network) and returns their script.
 * A regtest chain that stands in for a public network also accepts that network's forms, since the API allows only
 * bc1, tb1, 1 and 3 (balance API, request item 2).
 *
 * The reader throws BadInputError for an address with a bad checksum, of an unknown form or of another network.
 */
export const createAddressReader = (deps: { caip2Id: string; network: BitcoinNetworkName }) => {
  const own = bitcoinNetworks[deps.network].forms
  const shown = networkOfReference(deps.caip2Id) ?? deps.network
  const accepted = deps.network === 'regtest' ? [own, bitcoinNetworks[shown].forms] : [own]

  return (id: string): BitcoinAddress => {
    const decoded = decode(id)
    if (!decoded) throw new BadInputError(`address ${id} is malformed or has a bad checksum`)
    const forms = accepted.find((candidate) => belongs(decoded, candidate))
    if (!forms) throw new BadInputError(`address ${id} does not belong to ${shown}`)
    const script = scriptOf(decoded, forms)
    if (!script) throw new BadInputError(`address ${id} is of a kind that nobody can pay to yet`)
    return { address: write(decoded, forms, own), script }
  }
}
