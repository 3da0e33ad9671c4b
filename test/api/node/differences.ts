import type { ConversationSet } from '../../support/replay-node/index.ts'

/** Recorded conversations to which Firn on purpose answers otherwise than the node did. */
export interface Difference {
  sets: readonly ConversationSet[]
  /** Names of the conversations. */
  names: RegExp
  what: string
  reason: string
}

const NETWORK: readonly ConversationSet[] = ['network-moment']

export const differences: readonly Difference[] = [
  {
    sets: NETWORK,
    names: /^http\/unknown-method$/,
    what: 'An HTTP method that does not exist (`BREW`): 400 instead of 415.',
    reason: 'The HTTP parser of this server refuses methods it does not know before anything else sees them.',
  },
  {
    sets: NETWORK,
    names: /^http\/content-length-and-chunked$/,
    what: '`Content-Length` together with `Transfer-Encoding`: 400; the node answers the call.',
    reason: 'Two readings of one request are how requests are smuggled through gateways (RFC 9112, 6.1).',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names: /^(http\/path-get\/root|paths\/GET \/)$/,
    what: '`GET /`: a page for people instead of `404 page not found`; with `--page-enabled false` 404 in JSON.',
    reason: 'No client of a node asks there; people do.',
  },
  {
    sets: NETWORK,
    names: /^http\/path\/(root|v1|dotfile|favicon)$/,
    what: 'Unknown paths outside of /ext: 404 with a JSON body instead of `404 page not found`.',
    reason: 'Those paths belong to the other APIs of this server, which have their own 404.',
  },
  {
    sets: NETWORK,
    names: /^http\/ws\/upgrade-foreign-host$/,
    what: 'A WebSocket with a foreign Host: the same 403, with `Connection: close`.',
    reason: 'A connection that asked for an upgrade is not used for HTTP again.',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names:
      /getContainerRange\/(zero|missing-num|start-beyond-and-zero|no-params|numToFetch-"?0"?|numToFetch-null|start-beyond-num-0|empty)$/,
    what: 'index.getContainerRange with `numToFetch` 0 or absent: `{"containers":[]}` instead of an error.',
    reason: 'Explicit rule of the specification: nothing was asked for.',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names: /^(health\/|http\/get-health-with-origin$)/,
    what: 'Health checks: those of Firn (upstreams, own index, disk) instead of those of one node, in the same shape.',
    reason:
      'A node behind Firn may be down while Firn serves. `contiguousFailures` and `timeOfFirstFailure` always there.',
  },
  {
    sets: ['legacy'],
    names: /.*/,
    what: '`Vary: Accept-Encoding` of nodes up to v1.13.1 is left out.',
    reason: 'Those nodes could compress their answers; newer ones and Firn do not.',
  },
]

/** Conversations that are proved by other tests: their answers come from services with tests of their own. */
export const elsewhere: readonly { names: RegExp; where: string }[] = [
  { names: /^admin(-disabled)?\//, where: 'admin API' },
  { names: /^http\/ws\/upgrade(-full-id|-with-origin|-subprotocol)?$/, where: 'WebSockets' },
]
