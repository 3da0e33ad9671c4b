import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/lib/logging/logger.ts'

function capture(level = 'info') {
  const lines: string[] = []
  const logger = createLogger({ level }, { write: (line) => lines.push(line) })
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? 'null') as Record<string, unknown> }
}

describe('createLogger', () => {
  it('writes one JSON line with level by name and ISO time, nothing below its level', () => {
    const { logger, lines, last } = capture()
    logger.debug('unseen')
    logger.info({ chain: 'eip155:1' }, 'seen')
    expect(lines).toHaveLength(1)
    expect(last()).toMatchObject({ level: 'info', chain: 'eip155:1', msg: 'seen' })
    expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  it('hides credentials in headers wherever they are logged', () => {
    const { logger, lines } = capture()
    const headers = {
      authorization: 'Bearer s3cret',
      cookie: 's3cret',
      'x-firebase-appcheck': 's3cret',
      'x-glacier-api-key': 's3cret',
      accept: 'text/html',
    }
    logger.info({ headers })
    logger.info({ request: { headers } })
    logger.info({ response: { headers } })
    logger.info(headers)
    expect(lines.join('')).not.toContain('s3cret')
    expect(lines[0]).toContain('text/html')
  })

  it('hides passwords and keys down to the second level', () => {
    const { logger, lines } = capture()
    logger.info({ password: 's3cret', params: { newPassword: 's3cret', deep: { apiKey: 's3cret' } } })
    expect(lines.join('')).not.toContain('s3cret')
  })

  it('writes errors that are causes of each other, to a few of them', () => {
    const { logger, last } = capture()
    const [one, other] = [new Error('one'), new Error('other')]
    Object.assign(one, { cause: other })
    Object.assign(other, { cause: one })
    logger.error({ err: one }, 'failed')
    expect(last()).toMatchObject({ msg: 'failed', err: { message: 'one', cause: { message: 'other' } } })
    expect(JSON.stringify(last()).match(/"message":/g)).toHaveLength(5)
  })

  it('logs requests without headers and without credentials in the query', () => {
    const { logger, lines, last } = capture()
    const req = { method: 'GET', url: '/v1/x?apiKey=s3cret&page=2', ip: '::1', headers: { authorization: 's3cret' } }
    logger.info({ req })
    expect(lines.join('')).not.toContain('s3cret')
    expect(last().req).toEqual({ method: 'GET', url: '/v1/x?apiKey=***&page=2', remoteAddress: '::1' })
  })

  it('shows upstream URLs by host only: fields, messages, errors and their causes', () => {
    const { logger, lines } = capture()
    const url = 'https://user:s3cret@rpc.example.org/v2/s3cret?key=s3cret'
    const error = new Error(`connect ${url}`, { cause: new Error(`inner ${url}`) })
    logger.info({ upstream: url, url }, `asking ${url} now`)
    logger.warn({ err: error }, 'failed')
    logger.warn(error)
    logger.warn('with %s inside', url)
    expect(lines.join('')).not.toContain('s3cret')
    for (const line of lines) expect(line).toContain('rpc.example.org')
    expect(JSON.parse(lines[2] ?? '').msg).toBe('connect https://rpc.example.org/***')
  })
})
