import { describe, expect, it } from 'vitest'
import { configKeys, keyByFlag } from '../../src/config/keys.ts'
import { shortForms } from '../../src/config/short-forms.ts'
import { problemsOf } from './sources.ts'

describe('names of keys', () => {
  it.each([
    ['http.port', 'http-port', 'FIRN_HTTP_PORT'],
    ['balance.chainDeadlineMs', 'balance-chain-deadline-ms', 'FIRN_BALANCE_CHAIN_DEADLINE_MS'],
    ['balance.appCheck.jwks', 'balance-app-check-jwks', 'FIRN_BALANCE_APP_CHECK_JWKS'],
    ['dataDir', 'data-dir', 'FIRN_DATA_DIR'],
    ['chains.evm', 'chains-evm', 'FIRN_CHAINS_EVM'],
    ['chains.avalanche.testnet', 'chains-avalanche-testnet', 'FIRN_CHAINS_AVALANCHE_TESTNET'],
    ['index.enabled', 'index-enabled', 'FIRN_INDEX_ENABLED'],
  ])('%s follows the rule', (name, flag, variable) => {
    const key = configKeys.find((candidate) => candidate.name === name)
    expect([key?.flags[0], key?.variables[0]]).toEqual([flag, variable])
  })

  it.each([
    ['http-host', 'http.host'],
    ['http-port', 'http.port'],
    ['http-allowed-hosts', 'node.allowedHosts'],
    ['http-allowed-origins', 'http.corsOrigins'],
    ['api-auth-required', 'node.api.auth.required'],
    ['api-auth-password', 'node.api.auth.password'],
    ['api-auth-password-file', 'node.api.auth.passwordFile'],
    ['api-admin-enabled', 'node.api.admin.enabled'],
    ['api-keystore-enabled', 'node.api.keystore.enabled'],
    ['health-check-frequency', 'node.healthCheckFrequencyMs'],
    ['index-enabled', 'index.enabled'],
    ['index-allow-incomplete', 'index.allowIncomplete'],
    ['profile-dir', 'node.profileDir'],
    ['node-identity', 'node.identity'],
    ['public', 'node.publicDeployment'],
  ])('--%s is the flag a node has for %s', (flag, name) => {
    expect(keyByFlag.get(flag)?.name).toBe(name)
  })

  it('no flag and no variable means two things', () => {
    const flags = [...configKeys.flatMap((key) => key.flags), ...shortForms.map(({ flag }) => flag)]
    const variables = [...configKeys.flatMap((key) => key.variables), ...shortForms.map(({ variable }) => variable)]
    expect(new Set(flags).size).toBe(flags.length)
    expect(new Set([...variables, 'FIRN_CONFIG']).size).toBe(variables.length + 1)
  })

  it('does not mistake variables that a cluster sets for a service called firn', () => {
    expect(
      problemsOf({
        env: {
          FIRN_SERVICE_HOST: '10.0.0.1',
          FIRN_SERVICE_PORT: '8650',
          FIRN_SERVICE_PORT_HTTP: '8650',
          FIRN_PORT: 'tcp://10.0.0.1:8650',
          FIRN_PORT_8650_TCP: 'tcp://10.0.0.1:8650',
          FIRN_PORT_8650_TCP_ADDR: '10.0.0.1',
          FIRN_PORT_8650_TCP_PORT: '8650',
          FIRN_PORT_8650_TCP_PROTO: 'tcp',
        },
      }),
    ).toEqual([])
    expect(problemsOf({ env: { FIRN_PORT: '8650' } })).toHaveLength(1)
  })
})
