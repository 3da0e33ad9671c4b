import { hash } from 'node:crypto'
import { Keypair } from '@solana/web3.js'

/** A fixed key of the sandbox: anybody who knows its name knows it. */
export const sandboxKeypair = (name: string): Keypair =>
  Keypair.fromSeed(hash('sha256', `firn sandbox solana ${name}`, 'buffer'))

export const ownerNames = ['alice', 'bob', 'carol', 'nobody'] as const
export type OwnerName = (typeof ownerNames)[number]

export const mintNames = [
  'listed',
  'metaplex',
  'bare',
  'nft',
  'ticket',
  'emptied',
  'frozen',
  'extended',
  'hostile',
  'plain2022',
  'nft2022',
] as const
export type MintName = (typeof mintNames)[number]
