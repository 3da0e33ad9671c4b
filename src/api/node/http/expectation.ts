import type { RequestListener, Server } from 'node:http'
import { httpDate } from './answer.ts'

/**
 * Requests that expect something other than `100-continue`, as Go's server treats them: refused before anything else
 * looks at them, and the connection ends. An empty text expects nothing.
 */
export const createExpectationCheck =
  (server: Server): RequestListener =>
  (request, response) => {
    if (request.headers.expect === '') {
      server.emit('request', request, response)
      return
    }
    response.shouldKeepAlive = false
    response.sendDate = false
    const length = request.method === 'HEAD' ? [] : ['Content-Length', '0']
    response.writeHead(417, ['Connection', 'close', 'Date', httpDate(), ...length])
    response.end()
  }
