import { execute, methodProblem, refusal, unknownMethod } from '../../../src/api/node/gorilla/execute.ts'
import type { LocalCall, LocalService } from '../../../src/api/node/gorilla/local-service.ts'
import { PASS_ON } from '../../../src/api/node/gorilla/local-service.ts'
import { parseRequest } from '../../../src/api/node/gorilla/request.ts'

/** What a service that is answered here does with a body: the bytes that go back, or `PASS_ON`. */
export async function callLocal(
  service: LocalService,
  endpoint: string,
  body: Buffer | string,
  call: Partial<LocalCall> = {},
): Promise<string | typeof PASS_ON> {
  const parsed = parseRequest(Buffer.from(body))
  const refused = refusal(parsed)
  if (refused) return refused.body.toString()
  const { request } = parsed
  const name = request.method.slice(request.method.indexOf('.') + 1)
  const methods = { ...service.fallbacks, ...service.methods }
  const isMethod = (method: string) => method.startsWith(`${service.service}.`) && Object.hasOwn(methods, name)
  const problem = methodProblem(request.method, (one) => one === service.service, isMethod)
  const method = methods[name]
  if (problem !== undefined || !method) return unknownMethod(request, problem ?? '').body.toString()
  const answer = await execute(request, method, {
    method: request.method,
    endpoint,
    remoteAddress: '127.0.0.1',
    callerAddress: '127.0.0.1',
    header: () => undefined,
    signal: new AbortController().signal,
    ask: () => Promise.reject(new Error('nobody to ask')),
    ...call,
  })
  return answer === PASS_ON ? PASS_ON : answer.body.toString()
}
