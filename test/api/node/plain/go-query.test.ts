import { describe, expect, it } from 'vitest'
import { goQuery } from '../../../../src/api/node/plain/go-query.ts'

describe('queries', () => {
  it.each([
    ['', []],
    ['?', []],
    ['?tag=a&tag=b', ['a', 'b']],
    ['?tag=', ['']],
    ['?tag=%61+b', ['a b']],
    // Go drops what it cannot read, so that nothing is filtered by it.
    ['?tag=a;tag=b', []],
    ['?tag=%zz&tag=c', ['c']],
    ['?TAG=a&tags=b', []],
  ])('%j', (query, tags) => {
    expect(goQuery(query).getAll('tag')).toEqual(tags)
  })
})
