import { hash } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { derivedCandidate, findDerivedAddress, isOnCurve } from '../../../src/chains/solana/derived-address.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  METAPLEX_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../src/chains/solana/programs.ts'
import { createAssociatedTokenAddresses } from '../../../src/chains/solana/tokens/associated-token.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'

const bytes = (seed: string): Buffer => hash('sha256', seed, 'buffer')

describe('program derived addresses', () => {
  it('tells points of the curve from other bytes as the official client does', () => {
    const seen = { on: 0, off: 0 }
    for (let index = 0; index < 500; index += 1) {
      const candidate = bytes(`point ${index}`)
      const on = isOnCurve(candidate)
      seen[on ? 'on' : 'off'] += 1
      expect(on).toBe(PublicKey.isOnCurve(candidate))
    }
    expect(Math.min(seen.on, seen.off)).toBeGreaterThan(100)
  })

  it('derives what the official client derives', () => {
    for (let index = 0; index < 50; index += 1) {
      const seeds = [Buffer.from('metadata'), METAPLEX_PROGRAM.bytes, bytes(`mint ${index}`)]
      const [official] = PublicKey.findProgramAddressSync(seeds, new PublicKey(METAPLEX_PROGRAM.address))
      expect(encodeBase58(findDerivedAddress(seeds, METAPLEX_PROGRAM))).toBe(official.toBase58())
    }
  })
})

describe('associated token addresses', () => {
  const official = (owner: Buffer, mint: Buffer, program: { bytes: Uint8Array }): PublicKey =>
    PublicKey.findProgramAddressSync([owner, program.bytes, mint], new PublicKey(ASSOCIATED_TOKEN_PROGRAM.address))[0]

  it.each([
    ['SPL Token', TOKEN_PROGRAM],
    ['Token-2022', TOKEN_2022_PROGRAM],
  ])('are those of the official client for %s, held or not', (_, program) => {
    for (let index = 0; index < 40; index += 1) {
      const [owner, mint] = [bytes(`owner ${index}`), bytes(`token ${index}`)]
      const expected = official(owner, mint, program)
      const other = encodeBase58(bytes('another account'))
      const held = [other, expected.toBase58()]
      for (const accounts of [[], [other], held]) {
        const addresses = createAssociatedTokenAddresses(10)
        const named = { address: encodeBase58(mint), bytes: mint, program }
        expect(addresses({ id: encodeBase58(owner), bytes: owner }, named, accounts)).toBe(expected.toBase58())
      }
    }
  })

  it('are those of the program of now, where a mint was closed and made again under the other one', () => {
    const [owner, mint] = [bytes('owner'), bytes('token')]
    const addresses = createAssociatedTokenAddresses(10)
    for (const program of [TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      const named = { address: encodeBase58(mint), bytes: mint, program }
      expect(addresses({ id: 'owner', bytes: owner }, named, [])).toBe(official(owner, mint, program).toBase58())
    }
  })

  it('does not take a lower bump that happens to be held for the address', () => {
    // An account at a non-canonical bump cannot be made by the program; one further down than the quick search goes is
    // still found by the full derivation.
    const [owner, mint] = [bytes('owner'), bytes('token')]
    const far = derivedCandidate([owner, TOKEN_PROGRAM.bytes, mint], 200, ASSOCIATED_TOKEN_PROGRAM)
    const addresses = createAssociatedTokenAddresses(10)
    const named = { address: encodeBase58(mint), bytes: mint, program: TOKEN_PROGRAM }
    const found = addresses({ id: 'owner', bytes: owner }, named, [encodeBase58(far)])
    expect(found).toBe(official(owner, mint, TOKEN_PROGRAM).toBase58())
  })
})
