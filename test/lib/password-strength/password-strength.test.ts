import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { passwordProblem, passwordStrength } from '../../../src/lib/password-strength/index.ts'

interface Vector {
  password: string
  score: number
  entropy: number
  accepted: boolean
  node: string
}

const fixtures = new URL('../../fixtures/legacy/password-strength-vectors.json', import.meta.url)
const vectors = JSON.parse(readFileSync(fixtures, 'utf8')) as Vector[]
const strength = (password: string) => passwordStrength(Buffer.from(password))

describe('password strength', () => {
  it('gives every recorded password the node’s entropy, score and verdict', () => {
    const ours = vectors.map(({ password }) => {
      const problem = passwordProblem(password)
      const judged = passwordStrength(Buffer.from(password).subarray(0, 50))
      return { password, ...judged, accepted: problem === undefined, node: problem ?? 'accepted' }
    })
    const theirs = vectors.map(({ password, entropy, score, accepted, node }) => ({
      password,
      entropy,
      score,
      accepted,
      node,
    }))
    expect(ours).toEqual(theirs)
    expect(vectors).toHaveLength(152)
  })

  it('counts the limit in bytes and judges only the first fifty', () => {
    const strong = 'vR7#kq2!Zp9$Lm4^'
    expect(passwordProblem(`${strong}${'ñ'.repeat(504)}`)).toBeUndefined()
    expect(passwordProblem(`${strong}${'ñ'.repeat(504)}x`)).toBe('password exceeds maximum length of 1024 chars')
    expect(passwordProblem(`${'a'.repeat(50)}${strong}`)).toBe('password is too weak')
    expect(passwordProblem('a'.repeat(1025))).toBe('password exceeds maximum length of 1024 chars')
  })

  it('sees words through stand-ins, one per letter, without extra bits', () => {
    expect(strength('p4ssword').entropy).toBe(strength('password').entropy)
    // Both stand for a, so that only one of them is read as such.
    expect(strength('b4n@na').entropy).toBeGreaterThan(strength('b4n4na').entropy)
    expect(strength('f1sh').entropy).toBe(strength('fish').entropy)
  })

  it('splits bytes that are no UTF-8 one by one', () => {
    expect(passwordStrength(Buffer.from([0xe2, 0x82]))).toEqual({ entropy: 10.089, score: 0 })
    expect(passwordStrength(Buffer.from('€')).entropy).toBe(15.133)
  })

  it('leaves a date at the very end uncounted, as the node’s library does', () => {
    // Six digits that are a date reach one character further, so that it counts only with one behind it.
    expect(strength('x800325').entropy).toBeGreaterThan(strength('800325x').entropy)
    expect(strength('800325x').entropy).toBe(Math.round(Math.log2(31 * 12 * 100) * 1000) / 1000)
  })

  it('comes to an end where every character stands for several letters', () => {
    // All the ways to read them would take years.
    expect(strength('4@8({[<3691!|1|70$5+7%24@8({[<3691!|1|70$5+7%2aaaa').score).toBe(4)
  })
})
