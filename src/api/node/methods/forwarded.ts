import type { MethodRule } from './rule.ts'

const immutable: MethodRule = { target: 'any', finality: 'immutable' }
const settled: MethodRule = { target: 'any', finality: 'settled' }
const tip: MethodRule = { target: 'any', finality: 'tip' }
const height: MethodRule = { target: 'any', finality: 'tip', shows: 'height' }
const block: MethodRule = { ...immutable, shows: 'block' }
const container: MethodRule = { ...immutable, shows: 'containers' }
const pages: MethodRule = { target: 'any', finality: 'tip', pages: true }
const identity: MethodRule = { target: 'identity' }
const write: MethodRule = { target: 'write' }
const final = (...marks: string[]): MethodRule => ({ target: 'any', finality: 'immutable', finalWhen: marks })
const news = (...marks: string[]): MethodRule => ({
  ...final(...marks),
  // A node a block behind when it hears of a transaction considers it invalid until the block that contains it.
  absentWhen: ['"status":"Dropped"', '"status":"Unknown"'],
  news: true,
})

/**
 * Forwarded methods with special rules; all others go to any node and are never cached. Names are unique over all
 * endpoints, because they include their service.
 */
const FORWARDED: Readonly<Record<string, MethodRule>> = {
  'info.getNodeID': identity,
  'info.getNodeIP': identity,
  'info.getVMs': identity,
  'info.peers': identity,
  'info.uptime': identity,
  // The answer of a node that has not caught up with the chain, or runs P only.
  'info.isBootstrapped': { target: 'any', absentWhen: ['"isBootstrapped":false'] },
  'info.getNetworkID': settled,
  'info.getNetworkName': settled,
  'info.getTxFee': settled,
  'info.upgrades': settled,

  'health.health': identity,
  'health.readiness': identity,
  'health.liveness': identity,

  'platform.getBlock': block,
  'platform.getBlockByHeight': block,
  'platform.getTx': immutable,
  'platform.getTxStatus': news('"status":"Committed"', '"status":"Aborted"'),
  'platform.getStakingAssetID': settled,
  'platform.getFeeConfig': settled,
  'platform.getValidatorFeeConfig': settled,
  'platform.validatedBy': immutable,
  // A node that does not track the subnet knows no more; one that runs the chain does.
  'platform.getBlockchainStatus': { target: 'any', absentWhen: ['"status":"Created"', '"status":"Unknown"'] },
  'platform.getHeight': height,
  'platform.getTimestamp': tip,
  'platform.getBalance': tip,
  'platform.getUTXOs': pages,
  'platform.getStake': tip,
  'platform.getTotalStake': tip,
  'platform.getCurrentSupply': tip,
  'platform.getCurrentValidators': tip,
  'platform.getL1Validator': tip,
  'platform.getSubnet': tip,
  'platform.getSubnets': tip,
  'platform.getBlockchains': tip,
  'platform.getRewardUTXOs': tip,
  'platform.getFeeState': tip,
  'platform.getValidatorFeeState': tip,
  'platform.getMinStake': settled,
  'platform.issueTx': write,

  'avm.getBlock': block,
  'avm.getBlockByHeight': block,
  'avm.getTx': immutable,
  'avm.getTxStatus': news('"status":"Accepted"'),
  'avm.getAssetDescription': immutable,
  'avm.getTxFee': settled,
  'avm.getHeight': height,
  'avm.getUTXOs': pages,
  'avm.getBalance': tip,
  'avm.getAllBalances': tip,
  'avm.issueTx': write,
  'wallet.issueTx': write,

  // Newer nodes prefer this call to the status.
  'avax.getAtomicTx': { ...final('"blockHeight":"'), news: true },
  'avax.getAtomicTxStatus': news('"status":"Accepted"'),
  'avax.getUTXOs': pages,
  'avax.issueTx': write,

  'index.getContainerByID': container,
  'index.getContainerByIndex': container,
  'index.getIndex': immutable,
  'index.isAccepted': { ...final('"isAccepted":true'), absentWhen: ['"isAccepted":false'] },
  'index.getLastAccepted': { ...tip, shows: 'containers' },
  'index.getContainerRange': { target: 'any', shows: 'containers' },

  warp_getMessageAggregateSignature: { target: 'alone' },
  warp_getBlockAggregateSignature: { target: 'alone' },
}

const ANY: MethodRule = { target: 'any' }
/**
 * Key methods of old nodes move funds, and newer nodes have several that send: none of them is repeated, whatever its
 * name. A second node knows the transaction from the first and would report it as refused.
 */
const MOVES_FUNDS = /^(platform|avm|avax|wallet)\.(import|export|send|create|add|mint|issue)|^eth_send/

/**
 * A name as nodes understand it: they find a method by the upper case of its first letter, which is I and S for two
 * letters besides i and s.
 */
export const understood = (method: string | undefined): string | undefined =>
  method?.replace('.\u0131', '.i').replace('.\u017f', '.s')

/** The rule of a forwarded method; undefined = its name is unreadable. */
export function ruleOf(called: string | undefined): MethodRule {
  const method = understood(called)
  if (method === undefined) return ANY
  const rule = Object.hasOwn(FORWARDED, method) ? FORWARDED[method] : undefined
  return rule ?? (MOVES_FUNDS.test(method) ? write : ANY)
}
