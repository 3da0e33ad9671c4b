import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskQuery, maskSource, maskUrl, maskUrlsIn } from '../../src/lib/mask.ts'

describe('maskUrl', () => {
  it.each([
    ['https://rpc.example.org', 'https://rpc.example.org'],
    ['https://rpc.example.org/', 'https://rpc.example.org/'],
    ['https://rpc.example.org:8443/v2/KEY', 'https://rpc.example.org:8443/***'],
    ['https://KEY:KEY@rpc.example.org', 'https://rpc.example.org'],
    ['https://rpc.example.org?k=KEY', 'https://rpc.example.org/***'],
    ['https://rpc.example.org#KEY', 'https://rpc.example.org/***'],
    ['https://a@b:KEY@rpc.example.org/x', 'https://rpc.example.org/***'],
    ['tls://electrum.example.org:50002', 'tls://electrum.example.org:50002'],
    ['postgres://firn:KEY@db:5432/firn', 'postgres://db:5432/***'],
    ['https://user:12/KEY@rpc.example.org/x', '***'],
    ['KEY', '***'],
    ['https:///KEY', '***'],
  ])('%s', (given, shown) => {
    expect(maskUrl(given)).toBe(shown)
  })

  it('never shows user, password, path or query', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/).map((text) => `Q${text}Q`)
    fc.assert(
      fc.property(part, part, part, part, (user, password, path, query) => {
        const shown = maskUrlsIn(`failed: https://${user}:${password}@host.example/${path}?${query} (tried twice)`)
        return ![user, password, path, query].some((text) => shown.includes(text)) && shown.includes('host.example')
      }),
    )
  })

  it.each([
    ['at open (file:///app/dist/main.js:12:3)', 'at open (file:///app/dist/main.js:12:3)'],
    ['at file:///app/dist/main.js:12:3', 'at file:///app/dist/main.js:12:3'],
    ['file:///lists/all.json?k=KEY', '***'],
    ['file://u:KEY@host/x', 'file://host/***'],
  ])('shows where in the program an error comes from: %s', (text, shown) => expect(maskUrlsIn(text)).toBe(shown))
})

describe('maskSource', () => {
  it.each([
    ['https://tokens.example.org', 'https://tokens.example.org'],
    ['https://lists.example.org/all.json', 'https://lists.example.org/all.json'],
    ['https://lists.example.org/all.json?k=KEY', 'https://lists.example.org/all.json?***'],
    ['https://KEY:KEY@lists.example.org/all.json#KEY', 'https://lists.example.org/all.json?***'],
    ['https://a@b:KEY/KEY@lists.example.org/x', '***'],
    ['lists/own.json', 'lists/own.json'],
    ['/etc/firn/genesis.json', '/etc/firn/genesis.json'],
  ])('%s', (given, shown) => {
    expect(maskSource(given)).toBe(shown)
  })
})

describe('maskQuery', () => {
  it('hides values named like credentials, keeps the others', () => {
    expect(maskQuery('/a?apiKey=K&page=2&access_token=T')).toBe('/a?apiKey=***&page=2&access_token=***')
    expect(maskQuery('/a')).toBe('/a')
  })
})
