/**
 * Bodies that readers of the document can send unchanged. They hold no address with a network's prefix, because the
 * prefix differs per network: the key is that of the seed phrase of BIP-39's test vectors, m/44'/9000'/0'.
 */
export const BALANCES_EXAMPLE = {
  data: [
    { namespace: 'eip155', addresses: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'], references: ['1', '43114'] },
    {
      namespace: 'bip122',
      addresses: ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
      references: ['000000000019d6689c085ae165831e93'],
    },
  ],
  currency: 'usd',
} as const

export const STAKE_EXAMPLE = {
  isTestnet: false,
  extendedPublicKey:
    'xpub6BqVigHfL2TNNs8HyeEHn4JFFyTw1vL8kC5ZhzBhrhDbQ3FhgakpivT97Cd7oVCJiAwiqWu313vKMZMwCghXgSVDnYR3FrYzTz24yY3nFHR',
} as const
