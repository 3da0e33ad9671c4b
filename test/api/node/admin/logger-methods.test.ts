import { expect, it } from 'vitest'
import { createLoggerMethods } from '../../../../src/api/node/admin/logger-methods.ts'
import type { LocalService } from '../../../../src/api/node/gorilla/local-service.ts'
import { createNamedLoggers } from '../../../../src/lib/logging/named-loggers.ts'
import { callLocal } from '../local-call.ts'

it('names a logger that does not exist as Go quotes it', async () => {
  const loggers = createNamedLoggers({ level: 'silent' })
  const service: LocalService = { endpoints: ['admin'], service: 'admin', methods: { ...createLoggerMethods(loggers) } }
  const problem = async (loggerName: string): Promise<string> => {
    const request = { jsonrpc: '2.0', id: 1, method: 'admin.getLoggerLevel', params: { loggerName } }
    return JSON.parse(String(await callLocal(service, 'admin', JSON.stringify(request)))).error.message
  }
  expect(await problem('nope')).toBe('logger with name "nope" not found')
  expect(await problem('a\n"\0')).toBe('logger with name "a\\n\\"\\x00" not found')
})

it('decodes every level of a name that stands twice, as a node does', async () => {
  const loggers = createNamedLoggers({ level: 'silent' })
  const service: LocalService = { endpoints: ['admin'], service: 'admin', methods: { ...createLoggerMethods(loggers) } }
  const set = async (levels: string): Promise<unknown> => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"admin.setLoggerLevel","params":{"loggerName":"nope",${levels}}}`
    return JSON.parse(String(await callLocal(service, 'admin', body))).error.message
  }
  expect(await set('"logLevel":"loud","logLevel":"info"')).toMatch(/^couldn't unmarshal an argument\./)
  expect(await set('"logLevel":"info","LogLevel":[]')).toMatch(/^couldn't unmarshal an argument\./)
  expect(await set('"logLevel":"loud","logLevel":null')).toMatch(/^couldn't unmarshal an argument\./)
  // A node points to its levels: null takes the one before back.
  expect(await set('"logLevel":"info","logLevel":null')).toBe('need to specify either displayLevel or logLevel')
  expect(await set('"logLevel":null,"logLevel":"\\u0069nfo"')).toBe('logger with name "nope" not found')
})
