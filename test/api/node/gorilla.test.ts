import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorBody } from '../../../src/api/node/gorilla/answer.ts'
import { readArguments } from '../../../src/api/node/gorilla/arguments.ts'
import { execute, methodProblem, printedName, refusal, unknownMethod } from '../../../src/api/node/gorilla/execute.ts'
import { type LocalCall, type LocalMethod, MethodError, RawJson } from '../../../src/api/node/gorilla/local-service.ts'
import { parseRequest } from '../../../src/api/node/gorilla/request.ts'
import { GoJsonError } from '../../../src/api/node/json/go-json-error.ts'
import { skipValue } from '../../../src/api/node/json/spans.ts'
import { skipSpace, validateValue } from '../../../src/api/node/json/validate.ts'

interface Line {
  name: string
  request: { path: string; body?: string }
  response: { status: number; body?: string }
}

const file = new URL('../../fixtures/network/conversations.ndjson.gz', import.meta.url)
const lines = gunzipSync(readFileSync(file))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line)

/** Just enough of the info service to hold the envelope against the recorded one. */
const methods: Record<string, LocalMethod> = {
  'info.getNetworkID': () => ({ networkID: '5' }),
  'info.getBlockchainID': (args) => {
    const alias = args.string('alias')
    if (alias === '') throw new MethodError('there is no ID with alias: ')
    return { blockchainID: '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ' }
  },
}
const call = {} as LocalCall

async function answer(body: Buffer): Promise<string> {
  const parsed = parseRequest(body)
  const refused = refusal(parsed)
  if (refused) return refused.body.toString()
  const { request } = parsed
  const problem = methodProblem(
    request.method,
    (service) => service === 'info',
    (method) => Object.hasOwn(methods, method),
  )
  const method = methods[request.method]
  if (problem !== undefined || !method) return unknownMethod(request, problem ?? '').body.toString()
  const done = await execute(request, method, call)
  return typeof done === 'symbol' ? 'passed on' : done.body.toString()
}

const text = (body: string): Promise<string> => answer(Buffer.from(body))
const wrap = (params: string, method = 'info.getNetworkID'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

describe('the envelope of the non-EVM endpoints', () => {
  const envelope = lines.filter(({ name }) => name?.startsWith('gorilla/'))

  it('is recorded', () => {
    expect(envelope.length).toBeGreaterThan(30)
  })

  it.each(envelope.map((line) => [line.name, line] as const))('%s', async (_name, { request, response }) => {
    expect(await text(request.body ?? '')).toBe(response.body ?? '')
  })

  it.each([
    [
      '{"jsonrpc":"2.0","id":1,"method":5}',
      'json: cannot unmarshal number into Go struct field serverRequest.method of type string',
    ],
    ['{"jsonrpc":"2.0","id":1,', 'unexpected EOF'],
    ['   ', 'EOF'],
    ['{"jsonrpc" "2.0"}', `invalid character '"' after object key`],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\\\u hexadecimal character escape"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ["'", "invalid character '\\\\'' looking for beginning of value"],
    ['\u0000', "invalid character '\\\\x00' looking for beginning of value"],
  ])('names what is wrong with %j', async (body, message) => {
    expect(await text(body)).toContain(`"code":-32700,"message":"${message.replaceAll('"', '\\"')}"`)
  })

  it('decodes what it can of a request with one wrong type', async () => {
    expect(await text('{"jsonrpc":"2.0","id":[ 7 ],"method":{},"params":{ "a" : "<" }}')).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"json: cannot unmarshal object into Go struct field serverRequest.method of type string","data":{"jsonrpc":"2.0","method":"","params":{"a":"\\u003c"},"id":[7]}},"id":[7]}\n',
    )
  })

  it('refuses nesting that Go refuses, and takes what it takes', async () => {
    const nested = (depth: number): string => wrap(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(await text(nested(9_998))).toContain('"result"')
    expect(await text(nested(9_999))).toContain("invalid character '[' exceeded max depth")
  })

  it('echoes ids byte for byte, but compacted and escaped', async () => {
    const id = async (sent: string): Promise<string> =>
      (await text(`{"jsonrpc":"2.0","id":${sent},"method":"info.getNetworkID"}`)).replace(/^.*"id":/s, '').slice(0, -2)
    expect(await id('1.50')).toBe('1.50')
    expect(await id('123456789012345678901234567890')).toBe('123456789012345678901234567890')
    expect(await id('{ "a" : [ 1 , " x " ] }')).toBe('{"a":[1," x "]}')
    expect(await id('"<&>\u2028\u2029"')).toBe('"\\u003c\\u0026\\u003e\\u2028\\u2029"')
    expect(await id('"\\""')).toBe('"\\""')
    const raw = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"info.getNetworkID","id":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    const parsed = parseRequest(raw)
    expect(parsed.request.id).toEqual(Buffer.from([0x22, 0xff, 0xfe, 0x22]))
  })

  it('checks the first letter of a method before anything else about it', async () => {
    const code = async (method: string): Promise<string> => text(wrap('{}', method))
    expect(await code('x.Foo')).toContain('method must start with a non-uppercase letter')
    expect(await code('x.foo')).toContain(`rpc: can't find service \\"x.Foo\\"`)
    expect(await code('Info.getNetworkID')).toContain(`rpc: can't find service \\"Info.GetNetworkID\\"`)
    expect(await code('info.getnetworkid')).toContain(`rpc: can't find method \\"info.Getnetworkid\\"`)
    expect(await code('info.\\u00e4\\u0000')).toContain(`rpc: can't find method \\"info.Ä\\\\x00\\"`)
  })

  it('takes member names in any case and the last duplicate', async () => {
    expect(
      await text('{"JSONRPC":"2.0","ID":1,"id":2,"Method":"x","METHOD":"info.getNetworkID","param\u017f":{}}'),
    ).toBe('{"jsonrpc":"2.0","result":{"networkID":"5"},"id":2}\n')
  })

  it('hands big numbers through in raw results', async () => {
    const parsed = parseRequest(Buffer.from(wrap('{}')))
    const done = await execute(parsed.request, () => new RawJson('{"a":18446744073709551615,"b":"<"}'), call)
    expect(typeof done === 'symbol' ? '' : done.body.toString()).toBe(
      '{"jsonrpc":"2.0","result":{"a":18446744073709551615,"b":"\\u003c"},"id":1}\n',
    )
  })
})

describe('arguments', () => {
  const args = (json: string) => readArguments(Buffer.from(json))
  const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'

  it('are read leniently where the node is lenient', () => {
    expect(args('{"ALIAS":"C","alias":null}').string('alias')).toBe('C')
    expect(args('{"alias":"a","Alias":"b"}').string('alias')).toBe('b')
    expect(args('[{"alias":"C"},5]').string('alias')).toBe('C')
    expect(args('[null]').string('alias')).toBe('')
    expect(readArguments(undefined).uint64('height')).toBe(0n)
    expect(args('{"height":"18446744073709551615"}').uint64('height')).toBe(18446744073709551615n)
    expect(args('{"height":"007"}').uint64('height')).toBe(7n)
    expect(args('{"encoding":"HexNC"}').encoding()).toBe('hexnc')
    expect(args('{"list":["a",null]}').strings('list')).toEqual(['a', ''])
    expect(args('{"list":["a"],"list":null}').strings('list')).toEqual([])
    expect(args(`{"id":"${X}"}`).id('id')).toHaveLength(64)
    expect(args('{}').id('id')).toBe('0'.repeat(64))
  })

  it.each([['"x"'], ['5'], ['["C"]'], ['true']])('refuse params %s', (params) => {
    expect(() => args(params)).toThrow("couldn't unmarshal an argument")
  })

  it.each<[string, (of: ReturnType<typeof args>) => unknown]>([
    ['{"v":-1}', (of) => of.uint64('v')],
    ['{"v":1.0}', (of) => of.uint64('v')],
    ['{"v":"0x10"}', (of) => of.uint64('v')],
    ['{"v":"+5"}', (of) => of.uint64('v')],
    ['{"v":""}', (of) => of.uint64('v')],
    ['{"v":18446744073709551616}', (of) => of.uint64('v')],
    ['{"v":5,"V":"x"}', (of) => of.string('v')],
    ['{"v":""}', (of) => of.id('v')],
    ['{"v":{}}', (of) => of.strings('v')],
    ['{"v":[5]}', (of) => of.strings('v')],
    ['{"encoding":""}', (of) => of.encoding()],
  ])('refuse %s', (json, read) => {
    expect(() => read(args(json))).toThrow("couldn't unmarshal an argument")
  })
})

describe('hostile JSON', () => {
  const verdict = (body: Buffer): boolean => {
    try {
      const start = skipSpace(body, 0)
      return skipSpace(body, validateValue(body, start)) === body.length
    } catch (error) {
      if (error instanceof GoJsonError) return false
      throw error
    }
  }
  const accepted = (json: string): boolean => {
    try {
      JSON.parse(json)
      return true
    } catch {
      return false
    }
  }

  it('is judged as JSON.parse judges it', () => {
    const damaged = fc
      .tuple(fc.json({ maxDepth: 6 }), fc.nat(), fc.nat(), fc.string({ maxLength: 3 }))
      .map(([json, from, length, insert]) => {
        const at = from % (json.length + 1)
        return json.slice(0, at) + insert + json.slice(at + (length % 4))
      })
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 6 }), damaged, fc.string()), (json) => {
        // What JavaScript calls space is more than JSON's four, but only outside of strings and only for trim.
        const body = Buffer.from(json)
        expect(verdict(body)).toBe(accepted(body.toString()))
      }),
      { numRuns: 3_000 },
    )
  })

  it('is skipped to the same end as it is checked to', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8, noUnicodeString: false }), fc.string(), (json, tail) => {
        const body = Buffer.from(`${json} ${tail}`)
        expect(skipValue(body, 0)).toBe(validateValue(body, 0))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['a long run of escaped quotes', Buffer.from(`"${'\\"'.repeat(4_000_000)}"`)],
    ['quotes far apart', Buffer.from(`"${`${'a'.repeat(60)}\\"`.repeat(100_000)}"`)],
    ['backslashes', Buffer.from(`"${'\\\\'.repeat(4_000_000)}"`)],
    ['brackets', Buffer.from(`${'['.repeat(8_000_000)}`)],
    ['objects', Buffer.from('{"a":'.repeat(1_600_000))],
  ])('is scanned in linear time: %s', (_name, body) => {
    const started = process.cpuUsage().user
    skipValue(body, 0)
    verdict(body)
    // A quadratic scan of 8 MB would take hours; this bound is far from both.
    expect(process.cpuUsage().user - started).toBeLessThan(5_000_000)
  })

  it('never breaks the envelope', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const body = await answer(Buffer.from(bytes))
        if (body !== '') JSON.parse(body)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('an error body', () => {
  it('has data null unless told otherwise', () => {
    expect(errorBody(-32000, 'a < b', Buffer.from('1')).toString()).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"a \\u003c b","data":null},"id":1}\n',
    )
  })
})

describe('arguments that a node compares as JSON text', () => {
  const read = (params: string) => readArguments(Buffer.from(params))
  const refused = "couldn't unmarshal an argument"

  it('are no ids and no encodings when they carry escapes', () => {
    const id = '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ'
    const escaped = (text: string): string => `\\u00${text.charCodeAt(0).toString(16)}${text.slice(1)}`
    expect(read(`{"id":"${id}"}`).id('id')).toHaveLength(64)
    expect(() => read(`{"id":"${escaped(id)}"}`).id('id')).toThrow(refused)
    expect(read('{"encoding":"HexNC"}').encoding()).toBe('hexnc')
    expect(() => read('{"encoding":"h\\u0065x"}').encoding()).toThrow(refused)
  })

  it('texts are not: their escapes are resolved', () => {
    expect(read('{"chain":"\\u0043"}').string('chain')).toBe('C')
  })
})

describe('names of methods', () => {
  it.each([
    ['info.getX', 'info.GetX'],
    ['info.élan', 'info.Élan'],
    ['info.ßa', 'info.ßa'],
    ['info.ﬁx', 'info.ﬁx'],
  ])('%s is printed as %s', (name, printed) => {
    expect(printedName(name)).toBe(printed)
  })
})
