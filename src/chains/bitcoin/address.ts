import * as secp256k1 from '@bitcoinerlab/secp256k1'
import { address as codec, initEccLib, type Network } from 'bitcoinjs-lib'
import { BadInputError } from '../../errors.ts'
import { type BitcoinNetworkName, bitcoinNetworks, networkOfReference } from './network.ts'

// Without a curve, bitcoinjs-lib refuses every taproot address.
initEccLib(secp256k1)

/** An address that was checked and belongs to the chain. */
export interface BitcoinAddress {
  /** The same script in the chain's own form (HRP, version byte); what servers are asked for. */
  address: string
  /** Output script, what Electrum servers index. */
  script: Uint8Array
}

/** Versions whose rules are known; an address of a later one has no meaning yet. */
const KNOWN_WITNESS_VERSIONS = [0, 1]

const matches = (id: string, forms: Network): boolean => {
  try {
    const { version } = codec.fromBase58Check(id)
    return version === forms.pubKeyHash || version === forms.scriptHash
  } catch {
    const { prefix } = codec.fromBech32(id)
    return prefix === forms.bech32
  }
}

const decodes = (id: string): boolean => {
  try {
    codec.fromBase58Check(id)
    return true
  } catch {}
  try {
    return KNOWN_WITNESS_VERSIONS.includes(codec.fromBech32(id).version)
  } catch {
    return false
  }
}

/**
 * Checks addresses of one chain (checksum, form, network) and gives their script.
 * A regtest chain that stands in for a public network also takes that network's forms, since the API lets only
 * bc1, tb1, 1 and 3 through (balance API, request item 2).
 *
 * The reader throws BadInputError for an address with a bad checksum, of an unknown form or of another network.
 */
export const createAddressReader = (deps: { caip2Id: string; network: BitcoinNetworkName }) => {
  const own = bitcoinNetworks[deps.network].forms
  const shown = networkOfReference(deps.caip2Id) ?? deps.network
  const accepted = deps.network === 'regtest' ? [own, bitcoinNetworks[shown].forms] : [own]

  return (id: string): BitcoinAddress => {
    if (!decodes(id)) throw new BadInputError(`address ${id} is malformed or has a bad checksum`)
    const forms = accepted.find((candidate) => matches(id, candidate))
    if (!forms) throw new BadInputError(`address ${id} does not belong to ${shown}`)
    try {
      const script = codec.toOutputScript(id, forms)
      return { address: codec.fromOutputScript(script, own), script }
    } catch (cause) {
      throw new BadInputError(`address ${id} is not a payable address`, cause)
    }
  }
}
