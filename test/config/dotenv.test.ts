import { describe, expect, it } from 'vitest'
import { load, problemsOf } from './sources.ts'

const settings = (dotenv: string) => {
  const loaded = load({ dotenv })
  return 'config' in loaded ? loaded.config : undefined
}

describe('.env', () => {
  it('is read with quotes, comments, exports, lines of other programs, and ends of lines of either kind', () => {
    const text = [
      '# here',
      'export FIRN_HTTP_PORT=1234',
      '  FIRN_LOG_LEVEL = "debug" # said',
      "FIRN_HTTP_HOST='::1'",
      'OTHER_PROGRAM: 5',
      'FIRN_REDIS_KEY_PREFIX="a#b"',
      "FIRN_CHAINS_EVM='{",
      '  "56": null',
      "}'",
      'FIRN_OTEL_SERVICE_NAME=',
      'FIRN_HTTP_PROXY_HOPS=2',
    ]
    for (const end of ['\n', '\r\n'])
      expect(settings(text.join(end))).toMatchObject({
        http: { port: 1234, host: '::1', proxyHops: 2 },
        log: { level: 'debug' },
        redis: { keyPrefix: 'a#b' },
        otel: { serviceName: 'firn' },
        chains: { evm: expect.not.objectContaining({ 56: expect.anything() }) },
      })
  })

  it('a line of ours that sets nothing stops the start, and what stands there is not shown', () => {
    const secret = 'correct-horse-battery-staple'
    const dotenv = `OTHER\nDATABASE_URL: postgres://u:${secret}@db/firn\nFIRN_HTTP_PORT=1\nexport FIRN_API_AUTH_PASSWORD ${secret}\nFIRN_INDEX_ENABLED`
    const line = (at: number) => `/somewhere/.env: line ${at} begins with a variable and is no NAME=value`
    expect(problemsOf({ dotenv })).toEqual([line(2), line(4), line(5)])
  })

  it('a last line whose quote is never closed is not left out', () => {
    for (const end of ['', '\n'])
      expect(problemsOf({ dotenv: `OTHER=1\nFIRN_LOG_LEVEL="debug${end}` }).join()).toContain('log.level')
  })

  it('a line of another program takes nothing along', () => {
    expect(settings('OTHER\nFIRN_HTTP_PORT=1')?.http.port).toBe(1)
  })
})
