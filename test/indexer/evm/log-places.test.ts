import { expect, it, onTestFinished } from 'vitest'
import { startAnvil } from '../../support/evm/anvil.ts'
import { callData } from '../../support/evm/contracts.ts'
import { startLyingProxy } from '../lying-proxy.ts'
import { dumpEvm, startEvmStage } from './evm-stage.ts'

/** Logs of each receipt counted from 0, in a chain that hashes its headers in a way of its own. */
const countedAnew = (body: string): string =>
  body
    .replaceAll('"mixHash"', '"mixOfItsOwn"')
    .replaceAll(/"logs":\[.*?\](?=,"logsBloom"|,"type"|,"transactionHash"|\})/g, (logs) => {
      let count = 0
      return logs.replaceAll(/"logIndex":"0x[0-9a-f]+"/g, () => `"logIndex":"0x${(count++).toString(16)}"`)
    })

it('indexes all that moved in a block of a node that counts the logs of each transaction anew', async () => {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const [owner = '', other = ''] = chain.accounts
  const [nft, logger] = [await chain.deploy('EnumNft'), await chain.deploy('Logger')]
  const mint = (to: string, id: number) => ({
    to: nft,
    data: callData('EnumNft', 'mint', [to, id, 'https://nft.example/1']),
  })
  await chain.rpc('evm_setAutomine', [false])
  for (const call of [
    mint(owner, 7),
    { to: logger, data: callData('Logger', 'many', [3]) },
    mint(other, 8),
    mint(owner, 9),
  ]) {
    await chain.rpc('eth_sendTransaction', [{ from: owner, gas: '0x7a120', ...call }])
  }
  await chain.rpc('evm_mine', [])
  const head = await chain.rpc<{ number: string; hash: string; transactions: string[] }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  expect(head.transactions).toHaveLength(4)

  const node = await startLyingProxy(chain.url, (body) => Buffer.from(countedAnew(body.toString())))
  onTestFinished(() => node.stop())
  const [own, usual] = [await startEvmStage(node.url, 4_242), await startEvmStage(chain.url, 4_242)]
  await Promise.all([own.at(head), usual.at(head)])
  expect(node.lies).toBeGreaterThan(0)
  const { evm_transfer: transfers, evm_nft: nfts } = await dumpEvm(own.sql)
  expect(transfers?.map((row) => JSON.parse(row).log_index)).toEqual([0, 4, 5])
  expect({ transfers, nfts }).toEqual(
    await dumpEvm(usual.sql).then((all) => ({ transfers: all['evm_transfer'], nfts: all['evm_nft'] })),
  )
})
