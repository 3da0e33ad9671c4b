import { expect, it } from 'vitest'
import { originPattern } from '../../../src/lib/http/origin-pattern.ts'

it.each([
  ['https://*.example.org', 'https://app.example.org', true],
  ['https://*.example.org', 'https://a.b.example.org', true],
  ['https://*.example.org', 'HTTPS://APP.EXAMPLE.ORG', true],
  ['https://*.example.org', 'https://evilexample.org', false],
  ['https://*.example.org', 'https://app-example.org', false],
  ['https://*.example.org', 'https://app.exampleXorg', false],
  ['https://*.example.org', 'https://app.example.org.evil.test', false],
  ['https://*.example.org', 'http://app.example.org', false],
  ['https://*.example.org', 'xhttps://app.example.org', false],
  ['https://app.example.org', 'https://app.example.org', true],
  ['https://app.example.org', 'https://app.example.org:8443', false],
  ['https://app.example.org', 'https://appXexample.org', false],
  ['*', 'null', true],
])('%s, asked from %s: %s', (pattern, origin, allowed) => {
  expect(originPattern(pattern).test(origin)).toBe(allowed)
})
