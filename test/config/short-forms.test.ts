import { describe, expect, it } from 'vitest'
import { catalogue } from '../../src/config/catalogue/index.ts'
import { configOf, problemsOf, textOf } from './sources.ts'

const CHAIN_ID = '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ'
const FUJI_IDS = ['networkId', 'hrp', 'xBlockchainId', 'cBlockchainId', 'avaxAssetId', 'evmChainId', 'genesisFile']

describe('--chain-upstreams', () => {
  it('replaces the upstreams of catalogue chains, repeated or listed', () => {
    const { evm, solana } = configOf({
      argv: [
        '--chain-upstreams=eip155:43114=https://a,https://b',
        '--chain-upstreams',
        'eip155:43114=https://c eip155:1=http://d',
        '--chain-upstreams=solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1=http://e',
      ],
    }).chains
    expect(evm['43114']?.upstreams).toEqual([{ url: 'https://a' }, { url: 'https://b' }, { url: 'https://c' }])
    expect(evm['43114']?.multicall).toBe(catalogue.evm['43114']?.multicall)
    expect(evm['1']?.upstreams).toEqual([{ url: 'http://d' }])
    expect(solana['EtWTRABZaYq6iMfeYKouRu166VU2xqa1']?.upstreams).toEqual([{ url: 'http://e' }])
  })

  it('tells the protocol of Bitcoin servers by their scheme', () => {
    const chain = 'bip122:000000000019d6689c085ae165831e93'
    const urls = 'https://a,tls://b:50002,tcp://b:50001,blockbook+https://c,'
    const { bitcoin } = configOf({ env: { FIRN_CHAIN_UPSTREAMS: `${chain}=${urls}` } }).chains
    expect(bitcoin['000000000019d6689c085ae165831e93']?.upstreams).toEqual([
      { kind: 'esplora', url: 'https://a' },
      { kind: 'electrum', url: 'tls://b:50002' },
      { kind: 'electrum', url: 'tcp://b:50001' },
      { kind: 'blockbook', url: 'https://c' },
    ])
  })

  it('knows chains that the file adds', () => {
    const chain = { name: 'L1', upstreams: [{ url: 'https://x' }], native: { name: 'a', symbol: 'b' }, blockTimeMs: 1 }
    const { evm } = configOf({
      file: { chains: { evm: { '7': chain } } },
      argv: ['--chain-upstreams', 'eip155:7=https://y'],
    }).chains
    expect(evm['7']?.upstreams).toEqual([{ url: 'https://y' }])
  })
})

describe('--avalanche-testnet-node', () => {
  const nodes = ['--avalanche-testnet-node', 'http://127.0.0.1:9650/', '--avalanche-testnet-node=http://127.0.0.1:9652']

  it('puts the nodes in the place of every public upstream of that network, and of its C-chain', () => {
    const { avalanche, evm } = configOf({ argv: nodes }).chains
    expect(avalanche.testnet?.upstreams).toEqual([
      { url: 'http://127.0.0.1:9650', requestsPerSecond: 2_000 },
      { url: 'http://127.0.0.1:9652', requestsPerSecond: 2_000 },
    ])
    expect(evm['43113']?.upstreams).toEqual([
      { url: 'http://127.0.0.1:9650/ext/bc/C/rpc', requestsPerSecond: 2_000 },
      { url: 'http://127.0.0.1:9652/ext/bc/C/rpc', requestsPerSecond: 2_000 },
    ])
    expect(avalanche.mainnet).toEqual(catalogue.avalanche.mainnet)
    expect(evm['43114']).toEqual(catalogue.evm['43114'])
  })

  it('puts them under /ext if no node of mainnet is named beside them, and no other network is asked for', () => {
    const mainnet = ['--avalanche-mainnet-node', 'http://127.0.0.1:9654']
    const networkOf = (...argv: string[]) => configOf({ argv }).node.network
    expect(networkOf(...nodes)).toBe('testnet')
    expect(networkOf(...nodes, ...mainnet)).toBeUndefined()
    expect(networkOf(...mainnet)).toBeUndefined()
    expect(networkOf(...nodes, '--node-network', 'mainnet')).toBe('mainnet')
    const shown = JSON.parse(textOf({ argv: [...nodes, '--print-config'] }))
    expect(shown.$sources['node.network']).toBe('flag --avalanche-testnet-node')
  })

  it('keeps the key that stands in the query of a node’s URL where it is', () => {
    const { avalanche, evm } = configOf({ argv: ['--avalanche-testnet-node', 'http://a:9650/base/?key=b/'] }).chains
    expect(avalanche.testnet?.upstreams[0]?.url).toBe('http://a:9650/base?key=b/')
    expect(evm['43113']?.upstreams[0]?.url).toBe('http://a:9650/base/ext/bc/C/rpc?key=b/')
  })

  it('assumes nothing of a network of one’s own: IDs are asked of the node', () => {
    const { avalanche, evm } = configOf({ argv: nodes }).chains
    for (const id of FUJI_IDS) expect(avalanche.testnet).not.toHaveProperty(id)
    expect(evm['43113']).not.toHaveProperty('blockchainId')
    expect(evm['43113']).not.toHaveProperty('multicall')
  })

  it('keeps what is configured', () => {
    const { avalanche, evm } = configOf({
      file: {
        chains: {
          avalanche: { testnet: { hrp: 'custom', evmChainId: 43112 } },
          evm: { '43112': { ...catalogue.evm['43113'], blockchainId: CHAIN_ID } },
        },
      },
      argv: nodes,
    }).chains
    expect(avalanche.testnet).toMatchObject({ hrp: 'custom', evmChainId: 43112 })
    expect(avalanche.testnet).not.toHaveProperty('networkId')
    expect(evm['43112']).toMatchObject({ blockchainId: CHAIN_ID, multicall: catalogue.evm['43113']?.multicall })
    expect(evm['43112']?.upstreams[0]?.url).toBe('http://127.0.0.1:9650/ext/bc/C/rpc')
  })

  it('serves just that network when the catalogue is off', () => {
    const { chains } = configOf({ argv: ['--chains-catalogue=false', ...nodes] })
    expect(Object.keys(chains.evm)).toEqual(['43113'])
    expect(Object.keys(chains.avalanche)).toEqual(['testnet'])
    expect(chains.evm['43113']).toMatchObject({ native: { symbol: 'AVAX' }, testnet: true })
    expect(chains.evm['43113']).not.toHaveProperty('multicall')
    expect(chains.avalanche.testnet).not.toHaveProperty('evmChainId')
    expect(chains.bitcoin).toEqual({})
    const [env, argv] = [{ FIRN_AVALANCHE_TESTNET_NODE: 'http://other' }, ['--chains-catalogue=false', ...nodes]]
    expect(configOf({ env, argv }).chains).toEqual(chains)
  })

  it('needs nothing else of a network whose genesis is named when the catalogue is off', () => {
    const genesis = '--chains-avalanche-testnet={"genesisFile":"genesis.json"}'
    const without = configOf({ argv: ['--chains-catalogue=false', ...nodes] }).chains
    const { chains } = configOf({ argv: ['--chains-catalogue=false', genesis, ...nodes] })
    expect(chains.evm).toEqual(without.evm)
    expect(chains.avalanche.testnet).toEqual({ ...without.avalanche.testnet, genesisFile: 'genesis.json' })
    const own = '--chains-avalanche-testnet={"name":"Mine","evmChainId":null}'
    const mine = configOf({ argv: ['--chains-catalogue=false', own, ...nodes] }).chains
    expect([mine.avalanche.testnet?.name, mine.evm]).toEqual(['Mine', {}])
  })

  it('reads no public token lists for the C-chain when the catalogue is off', () => {
    const node = '--avalanche-mainnet-node=http://node.lan:9650'
    const listsOf = (...argv: string[]) => configOf({ argv: [node, ...argv] }).chains.evm['43114']?.tokenLists
    expect(listsOf('--chains-catalogue=false')).toEqual([])
    expect(listsOf()).toEqual(catalogue.evm['43114']?.tokenLists)
  })

  it('makes an entry for an EVM chain that nobody described', () => {
    const { evm } = configOf({
      file: { chains: { avalanche: { testnet: { evmChainId: 43112 } } } },
      argv: nodes,
    }).chains
    expect(evm['43112']).toMatchObject({ name: 'EVM chain 43112', testnet: true, native: { symbol: 'AVAX' } })
    expect(configOf({ argv: ['--chains-avalanche-testnet={"evmChainId":43112}', ...nodes] }).chains.evm).toEqual(evm)
    const env = { FIRN_AVALANCHE_TESTNET_NODE: 'http://127.0.0.1:9650/,http://127.0.0.1:9652' }
    const mixed = configOf({ env, argv: ['--chains-avalanche-testnet={"evmChainId":43112}'] })
    expect(mixed.chains.evm).toEqual(evm)
  })

  it.each([
    ['beside the catalogue', []],
    ['without it', ['--chains-catalogue=false']],
  ])('leaves the C-chain to the servers that are named for it, %s', (_, more) => {
    const { avalanche, evm } = configOf({
      argv: [...more, ...nodes, '--chain-upstreams=eip155:43113=http://special'],
    }).chains
    expect(evm['43113']?.upstreams).toEqual([{ url: 'http://special' }])
    expect(avalanche.testnet?.upstreams).toHaveLength(2)
  })

  it('serves a network whose C-chain is nobody’s', () => {
    const { evm, avalanche } = configOf({
      file: { chains: { avalanche: { testnet: { evmChainId: null } } } },
      argv: nodes,
    }).chains
    expect(avalanche.testnet?.upstreams).toHaveLength(2)
    expect(evm).toEqual(configOf().chains.evm)
  })

  it('does not bring back an EVM chain that was removed', () => {
    const { evm, avalanche } = configOf({ file: { chains: { evm: { '43113': null } } }, argv: nodes }).chains
    expect(evm).not.toHaveProperty('43113')
    expect(avalanche.testnet?.upstreams).toHaveLength(2)
    expect(configOf({ argv: ['--without=eip155:43113', ...nodes] }).chains.evm).not.toHaveProperty('43113')
  })

  it('is there for mainnet and as a variable', () => {
    const { avalanche, evm } = configOf({ env: { FIRN_AVALANCHE_MAINNET_NODE: 'http://a http://b' } }).chains
    expect(avalanche.mainnet?.upstreams).toEqual([
      { url: 'http://a', requestsPerSecond: 2_000 },
      { url: 'http://b', requestsPerSecond: 2_000 },
    ])
    expect(evm['43114']?.upstreams).toHaveLength(2)
  })
})

describe('own upstreams of an Avalanche network by file', () => {
  it('are asked for their IDs as well', () => {
    const upstreams = [{ url: 'http://n' }]
    const { avalanche, evm } = configOf({
      file: { chains: { avalanche: { mainnet: { upstreams, networkId: 9 } } } },
    }).chains
    expect(avalanche.mainnet?.networkId).toBe(9)
    expect(avalanche.mainnet).not.toHaveProperty('xBlockchainId')
    expect(evm['43114']).not.toHaveProperty('blockchainId')
    expect(avalanche.testnet).toEqual(catalogue.avalanche.testnet)
  })
})

describe('--without', () => {
  it('removes chains and families', () => {
    const { chains } = configOf({
      argv: ['--without', 'eip155:1,eip155:56', '--without=solana', '--without', 'avalanche:testnet'],
    })
    expect(chains.evm).not.toHaveProperty('1')
    expect(chains.evm).not.toHaveProperty('56')
    expect(chains.evm).toHaveProperty('8453')
    expect(chains.solana).toEqual({})
    expect(Object.keys(chains.avalanche)).toEqual(['mainnet'])
  })

  it('works from the environment, and a flag cannot remove it twice', () => {
    expect(configOf({ env: { FIRN_WITHOUT: 'bip122 eip155' } }).chains).toMatchObject({ evm: {}, bitcoin: {} })
    expect(problemsOf({ env: { FIRN_WITHOUT: 'eip155:1' }, argv: ['--without', 'eip155:1'] })).toHaveLength(1)
  })

  it('null in a file does the same', () => {
    const { chains } = configOf({ file: { chains: { evm: { '1': null }, avalanche: { testnet: null } } } })
    expect(chains.evm).not.toHaveProperty('1')
    expect(chains.avalanche).not.toHaveProperty('testnet')
  })

  it('null for a chain, or a setting, that nobody has named is a slip of the pen, as with --without', () => {
    expect(problemsOf({ argv: ['--chains-evm', '{"43l14":null}'] })).toEqual([
      'chains.evm.43l14: given null (flag --chains-evm), where there is no such entry; did you mean chains.evm.43114?',
    ])
    expect(problemsOf({ file: { chains: { catalogue: false, evm: { '1': null, '999999999': null } } } })).toEqual([
      'chains.evm.999999999: given null (firn.config.json), where there is no such entry; known: none',
    ])
    expect(problemsOf({ file: { http: { prot: null } } })).toEqual([
      'http.prot: unknown key (firn.config.json); did you mean http.port?',
    ])
    // What another source took away, or gave, may be taken away again.
    const own = {
      name: 'own',
      upstreams: [{ url: 'http://127.0.0.1:1' }],
      native: { name: 'O', symbol: 'O' },
      blockTimeMs: 1,
    }
    const file = { chains: { evm: { '1': null, '999999999': own } } }
    const { evm } = configOf({ file, argv: ['--chains-evm', '{"1":null,"999999999":null}'] }).chains
    expect(Object.keys(evm)).toEqual(expect.not.arrayContaining(['1', '999999999']))
  })

  it('null in place of a section removes the family, in a file and in a variable', () => {
    const none = { evm: {}, bitcoin: {}, solana: {}, avalanche: {} }
    const sections = { evm: null, bitcoin: null, solana: null, avalanche: null }
    expect(configOf({ file: { chains: sections } }).chains).toEqual({ catalogue: true, ...none })
    expect(configOf({ file: { chains: null } }).chains).toEqual({ catalogue: true, ...none })
    expect(configOf({ env: { FIRN_CHAINS_SOLANA: 'null' } }).chains.solana).toEqual({})
    expect(configOf({ file: { chains: { solana: null } } }).chains.bitcoin).not.toEqual({})
  })
})
