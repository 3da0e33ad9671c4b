import { IncomingMessage } from 'node:http'

/** Whether a request asks for a WebSocket; the protocols of the header are a list. */
const asksForWebSocket = ({ upgrade = '' }: IncomingMessage['headers']): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')

/**
 * A request as the server reads it. Whoever asks for a protocol that is not spoken here is answered as if nothing had been
 * asked (RFC 9110, 7.8): Java's client asks every server in clear text for HTTP/2. Node.js would hand over every such
 * request as soon as somebody listens for upgrades, and believes what stands here.
 */
export class ServerRequest extends IncomingMessage {
  /** What the parser found; set before the headers are there. */
  asked: boolean | null = null

  get upgrade(): boolean | null {
    if (this.asked !== true || this.method === 'CONNECT') return this.asked
    return asksForWebSocket(this.headers)
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked
  }
}
