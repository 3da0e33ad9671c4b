import { describe, expect, it } from 'vitest'
import { problemOf } from './backtracking.ts'
import { patternsIn } from './patterns.ts'

/** Patterns whose texts come from the operator or are short before they are matched. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/config/apply-short-forms.ts': 'a URL of the configuration',
  'src/config/sources/parse-text.ts': 'a duration of the configuration',
  'src/upstream/http/target.ts': 'a URL of the configuration',
  'src/api/node/forward/nodes/node-pools.ts': 'a URL of the configuration',
  'src/api/node/evm/ws/link/targets.ts': 'a URL of the configuration',
  'src/api/balance/response-schema.ts': 'ids of the own chains, in the description of answers',
  'src/lib/json/go-time.ts': 'nine digits of a time made here',
  'src/api/page/browser/amounts.js': 'digits of an amount, in the browser',
  'src/api/page/browser/index-view.js': 'digits of a height, in the browser',
}

describe('every regular expression in src', () => {
  const patterns = patternsIn('src')

  it('is found', () => {
    expect(patterns.length).toBeGreaterThan(150)
    expect(patterns.some(({ place }) => place.startsWith('src/lib/mask.ts'))).toBe(true)
  })

  it('takes time in proportion to its text, whatever the text', () => {
    const slow = patterns.filter(({ place }) => BOUNDED[place.split(':')[0] ?? ''] === undefined).map(problemOf)
    expect(slow.filter((problem) => problem !== undefined)).toEqual([])
  })
})

describe('the check itself', () => {
  it.each([/(a+)+$/, /(a|a)*b/, /(\w+\s?)*$/, /\s+$/, /^(.*?,)*x/, /a.*b.*c/])('finds %s', (regex) => {
    expect(problemOf({ place: 'here', regex })).toBeDefined()
  })

  it.each([/^[a-z]+$/, /a{1,64}b/, /\b[a-z][a-z0-9+.-]{0,20}:\/\//])('lets %s pass', (regex) => {
    expect(problemOf({ place: 'here', regex })).toBeUndefined()
  })
})
