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
