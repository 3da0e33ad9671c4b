import { describe, expect, it } from 'vitest'
import { cleanPath, encodePath, parseTarget } from '../../../../src/api/node/http/target.ts'

describe('paths', () => {
  it.each([
    ['/ext/bc/%43/rpc', '/ext/bc/C/rpc'],
    ['/ext/bc%2FC/rpc', '/ext/bc/C/rpc'],
    ['/%65xt/info?a=%zz', '/ext/info'],
    ['http://host:1/ext/info?x', '/ext/info'],
  ])('%s is %s', (target, path) => {
    expect(parseTarget(target)?.path).toBe(path)
  })

  it.each(['/ext/%', '/ext/%4', '/ext/%zz', 'ext/info', ''])('%j cannot be read', (target) => {
    expect(parseTarget(target)).toBeUndefined()
  })

  it.each([
    ['/ext//bc/./C/../P', '/ext/bc/P'],
    ['//ext/info', '/ext/info'],
    ['/ext/info/..', '/ext'],
    ['/../../ext/info/', '/ext/info/'],
    ['/ext/..info', '/ext/..info'],
  ])('%s is cleaned to %s', (path, clean) => {
    expect(cleanPath(path)).toBe(clean)
  })

  it('of absolute targets come with the host that counts', () => {
    expect(parseTarget('http://host:1/ext/info?x')).toEqual({ path: '/ext/info', query: '?x', authority: 'host:1' })
    expect(parseTarget('/ext/info')).toEqual({ path: '/ext/info', query: '' })
    expect(parseTarget('http:///ext/info')).toEqual({ path: '/ext/info', query: '' })
  })

  it('whose escapes are no UTF-8 go into Location with the same bytes', () => {
    const target = parseTarget("/ext//%43/%3f'%c3%a9/%ff?x")
    expect(encodePath(cleanPath(target?.path ?? ''), target?.isEscaped)).toBe('/ext/C/%3F%27%C3%A9/%FF')
  })

  it('go into Location as Go writes them', () => {
    expect(encodePath("/ext/a'!*()~$&+,:;=@?#[é ")).toBe('/ext/a%27%21%2A%28%29~$&+,:;=@%3F%23%5B%C3%A9%20')
  })
})
