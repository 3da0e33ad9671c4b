import { IncomingMessage } from 'node:http'

/** Whether a request asks for a WebSocket; the header is a list of protocols. */
const asksForWebSocket = ({ upgrade = '' }: IncomingMessage['headers']): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')

/**
 * A request as the server reads it. A request for an unsupported protocol is answered as if it had not asked for one
 * (RFC 9110, 7.8): Java's client asks every clear-text server for HTTP/2. Node.js would treat every such request as an
 * upgrade as soon as there is an upgrade listener, and relies on this property.
 */
export class ServerRequest extends IncomingMessage {
  /** What the parser found; set before the headers are available. */
  asked: boolean | null = null

  get upgrade(): boolean | null {
    if (this.asked !== true || this.method === 'CONNECT') return this.asked
    return asksForWebSocket(this.headers)
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked
  }
}
