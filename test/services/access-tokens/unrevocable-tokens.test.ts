import { createHmac } from 'node:crypto'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { tokenJson } from '../../../src/api/node/auth/index.ts'
import { createAccessTokens } from '../../../src/services/access-tokens/index.ts'
import { deriveKey } from '../../../src/services/access-tokens/keys.ts'
import { openTestStore } from '../../support/store/store.ts'

const PASSWORD = 'Auth-Pw-1 correct horse battery'

it('tokens without an id or an end open nothing, whoever signed them: such ones could not be revoked', async () => {
  const store = openTestStore()
  onTestFinished(() => store.close())
  const logger = pino({ level: 'silent' })
  const deps = { records: store.auth, json: tokenJson, logger, configured: PASSWORD, refreshMs: 0 }
  const tokens = createAccessTokens(deps)
  onTestFinished(() => tokens.close())
  await tokens.open()
  const salt = Buffer.from((await store.auth.state()).credential?.salt ?? '', 'hex')
  const key = await deriveKey(PASSWORD, salt)
  const signed = (claims: object): string => {
    const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)))
    const text = parts.map((part) => part.toString('base64url')).join('.')
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  const verdict = (token: string) => tokens.problem(token, '/ext/info', true)
  const whole = { exp: Math.floor(Date.now() / 1_000) + 3_600, jti: 'one', endpoints: ['*'] }
  expect(verdict(signed(whole))).toBeUndefined()
  const { exp, jti, ...rest } = whole
  for (const claims of [
    { ...rest, exp, jti: '' },
    { ...rest, exp },
    { ...rest, jti },
  ]) {
    const token = signed(claims)
    await tokens.revokeToken({ password: PASSWORD, token }, undefined)
    expect(verdict(token), JSON.stringify(claims)).toContain('does not allow')
  }
})
