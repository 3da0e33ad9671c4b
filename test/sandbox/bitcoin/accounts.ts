import { hash } from 'node:crypto'
import * as secp256k1 from '@bitcoinerlab/secp256k1'
import { address, networks, payments } from 'bitcoinjs-lib'

const accountNames = ['miner', 'alice', 'bob', 'carol', 'dave', 'nobody'] as const
export type AccountName = (typeof accountNames)[number]
export type AddressKind = 'p2pkh' | 'p2sh' | 'p2wpkh'

const kinds: Record<AccountName, AddressKind> = {
  miner: 'p2pkh',
  alice: 'p2pkh',
  bob: 'p2wpkh',
  carol: 'p2sh',
  dave: 'p2wpkh',
  nobody: 'p2wpkh',
}

/** A fixed account of the sandbox: anybody who knows its name knows its key. */
export interface SandboxBitcoinAccount {
  name: AccountName
  kind: AddressKind
  privateKey: Buffer
  /** Output script, hex. */
  script: string
  /** The same script as each network writes it. */
  addresses: { mainnet: string; testnet: string; regtest: string }
}

const account = (name: AccountName): SandboxBitcoinAccount => {
  const privateKey = hash('sha256', `firn sandbox bitcoin ${name}`, 'buffer')
  const pubkey = secp256k1.pointFromScalar(privateKey, true)
  if (!pubkey) throw new Error(`no key for ${name}`)
  const kind = kinds[name]
  const witness = payments.p2wpkh({ pubkey })
  const payment =
    kind === 'p2pkh' ? payments.p2pkh({ pubkey }) : kind === 'p2wpkh' ? witness : payments.p2sh({ redeem: witness })
  const script = payment.output
  if (!script) throw new Error(`no script for ${name}`)
  return {
    name,
    kind,
    privateKey,
    script: Buffer.from(script).toString('hex'),
    addresses: {
      mainnet: address.fromOutputScript(script, networks.bitcoin),
      testnet: address.fromOutputScript(script, networks.testnet),
      regtest: address.fromOutputScript(script, networks.regtest),
    },
  }
}

export const bitcoinAccounts = Object.fromEntries(accountNames.map((name) => [name, account(name)])) as Record<
  AccountName,
  SandboxBitcoinAccount
>

/** Script (hex) of an address in any network's form, so that one regtest chain can stand in for either network. */
export const scriptOfAddress = (text: string): string | undefined => {
  for (const network of [networks.regtest, networks.testnet, networks.bitcoin]) {
    try {
      return Buffer.from(address.toOutputScript(text, network)).toString('hex')
    } catch {}
  }
  return undefined
}
