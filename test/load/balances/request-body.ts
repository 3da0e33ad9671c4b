import { address, networks, payments } from 'bitcoinjs-lib'
import bs58 from 'bs58'
import { formatBech32Address, parseBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import type { ChainFacts } from './chains.ts'

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'

export interface RequestBody {
  text: string
  /** Pairs it asks for. */
  items: number
}

type Wallet = ChainFacts['wallets'][number]

/** Which accounts are new ones, that no reading is kept of. */
export interface Fresh {
  bitcoin?: boolean
  evm?: boolean
  solana?: boolean
  avalanche?: boolean
}

let made = 0

/** A key hash that nobody owns and nobody asked for yet. */
function freshHash(): Buffer {
  const hash = Buffer.alloc(20)
  hash.writeUInt32BE(++made)
  return hash
}

function freshBitcoinAddress(): string {
  const { output } = payments.p2wpkh({ hash: freshHash() })
  return address.fromOutputScript(output as Uint8Array, networks.testnet)
}

const freshSolanaAddress = (): string => bs58.encode(Buffer.concat([freshHash(), Buffer.alloc(12, 1)]))

/** A wallet on the network of another one, which owns nothing. */
function freshWallet({ addresses: [known = ''] }: Wallet): Wallet {
  const { hrp } = parseBech32Address(known)
  const own = formatBech32Address(freshHash(), hrp)
  return { id: own, addresses: [own] }
}

/** What a wallet with accounts on every family asks for. Readings of Bitcoin are kept longest. */
export function requestBody(facts: ChainFacts, fresh: Fresh = {}): RequestBody {
  const wallets = fresh.avalanche ? facts.wallets.map(freshWallet) : facts.wallets
  const solanaAddress = fresh.solana ? freshSolanaAddress() : facts.solanaAddress
  const bitcoin = fresh.bitcoin ? freshBitcoinAddress() : facts.bitcoinAddress
  const evmAddresses = fresh.evm ? facts.evmAddresses.map(() => `0x${freshHash().toString('hex')}`) : facts.evmAddresses
  const data = [
    { namespace: 'eip155', references: ['31337', '31338'], addresses: evmAddresses },
    { namespace: 'bip122', references: [SANDBOX_REFERENCES.bitcoin], addresses: [bitcoin] },
    { namespace: 'solana', references: [SANDBOX_REFERENCES.solana], addresses: [solanaAddress] },
    { namespace: 'avax', references: [P, X], addressDetails: wallets },
    { namespace: 'avax', references: [C], addressDetails: wallets },
  ]
  const text = JSON.stringify({ data, currency: 'eur', showUntrustedTokens: true })
  return { text, items: 2 * evmAddresses.length + 2 + 3 * wallets.length }
}

/** So many that their readings, renewed every two seconds, stay below the calls a second that an upstream is asked. */
export const OTHERS_BODIES = 64

/** What somebody else asks for: the `which`th of `OTHERS_BODIES` sets of EVM accounts. */
export function othersBody(facts: ChainFacts, which: number): RequestBody {
  const addresses = facts.evmAddresses.map((_, at) => `0x${String(which * 10 + at + 1).padStart(40, 'a')}`)
  const data = [{ namespace: 'eip155', references: ['31337', '31338'], addresses }]
  return { text: JSON.stringify({ data, currency: 'eur', showUntrustedTokens: true }), items: 2 * addresses.length }
}
