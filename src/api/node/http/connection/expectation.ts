import type { RequestListener, Server } from 'node:http'
import { httpDate } from '../answer.ts'
import { parseTarget } from '../target.ts'
import { hostProblem } from './host-header.ts'

/**
 * Requests that expect something other than `100-continue`, as Go's server treats them: refused before any API looks at
 * them, and the connection ends. An empty text expects nothing, and a malformed request is refused as such.
 */
export const createExpectationCheck =
  (server: Server): RequestListener =>
  (request, response) => {
    const isRead = parseTarget(request.url ?? '/') !== undefined && hostProblem(request) === undefined
    if (request.headers.expect === '' || !isRead) {
      server.emit('request', request, response)
      return
    }
    response.shouldKeepAlive = false
    response.sendDate = false
    const length = request.method === 'HEAD' ? [] : ['Content-Length', '0']
    response.writeHead(417, ['Connection', 'close', 'Date', httpDate(), ...length])
    response.end()
  }
