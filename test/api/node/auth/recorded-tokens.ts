import { createHmac } from 'node:crypto'

/** Recorded tokens in the terms of this run: other random ids, another salt, so another signature. */
export interface RecordedTokens {
  /** A recorded token was issued; ours takes its place from now on. */
  issued(recorded: string, ours: string): void
  /** The text with every recorded token replaced. `resign` = what our key signs instead of the node's. */
  translate(text: string, resign: Buffer | undefined): string
}

const TOKEN = /[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*/g
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const signedPart = (token: string): string => token.slice(0, token.lastIndexOf('.'))
const signature = (token: string): string => token.slice(token.lastIndexOf('.') + 1)

/** The change that led from one signature to another, done to a third one. */
function sameChange(from: string, to: string, ours: string): string {
  if (to.length !== from.length) return to.startsWith(from) ? ours + to.slice(from.length) : ours.slice(0, to.length)
  const at = [...from].findIndex((character, index) => character !== to[index])
  if (at < 0) return ours
  // In the last character only the upper four bits count.
  const code = ALPHABET.indexOf(ours.charAt(at)) ^ (at === from.length - 1 ? 1 : 32)
  return ours.slice(0, at) + ALPHABET.charAt(code) + ours.slice(at + 1)
}

export function createRecordedTokens(): RecordedTokens {
  const known = new Map<string, { recorded: string; ours: string }>()
  const one = (token: string, resign: Buffer | undefined): string => {
    const match = known.get(signedPart(token))
    if (match)
      return `${signedPart(match.ours)}.${sameChange(signature(match.recorded), signature(token), signature(match.ours))}`
    if (resign === undefined) return token
    return `${signedPart(token)}.${createHmac('sha256', resign).update(signedPart(token)).digest('base64url')}`
  }
  return {
    issued: (recorded, ours) => known.set(signedPart(recorded), { recorded, ours }),
    translate: (text, resign) => text.replace(TOKEN, (token) => one(token, resign)),
  }
}
