import { EMPTY, list, type Method, may, needs, object, ref, text } from './parts.ts'

const WEAK = ['empty password', 'password exceeds maximum length of 1024 chars', 'password is too weak']
const CHANGED = {
  oneOf: [EMPTY, object({ success: { type: 'boolean' } })],
  description: 'An empty object; `success` when the password came by --api-auth-password.',
}

export const AUTH: readonly Method[] = [
  {
    name: 'auth.newToken',
    summary: 'Makes an access token for the endpoints named; `*` stands for all. It is good for 12 hours.',
    params: [
      needs('password', text('The token password.')),
      needs('endpoints', list(text('Granted: paths that end in this text.'), '1 to 128 endpoints.')),
    ],
    result: object({ token: text('JWT, HS256.') }),
    errors: [
      'empty password',
      'must name at least one endpoint',
      'can only name at most 128 endpoints',
      'incorrect password',
    ],
  },
  {
    name: 'auth.revokeToken',
    summary: 'Ends a token; nothing happens when it is not valid.',
    params: [needs('password', text('The token password.')), needs('token', text('The token.'))],
    result: CHANGED,
    errors: ['auth token not provided', 'empty password', 'incorrect password'],
  },
  {
    name: 'auth.changePassword',
    summary: 'Sets another token password. All tokens made before are invalid.',
    params: [
      needs('oldPassword', text('The password until now.')),
      needs('newPassword', text('1 to 1024 bytes, strong.')),
    ],
    result: CHANGED,
    errors: ["new password can't be same as old password", 'incorrect password', ...WEAK],
  },
]

const USER = [
  needs('username', text('At most 1024 bytes.')),
  needs('password', text('At most 1024 bytes; strong when a user is made.')),
]
const ENCODING = may('encoding', ref('Encoding'))
const NAME = ['empty username', 'username exceeds maximum length of 1024 chars']

export const KEYSTORE: readonly Method[] = [
  {
    name: 'keystore.createUser',
    summary: 'Makes a user.',
    params: USER,
    result: EMPTY,
    errors: [...NAME, 'user already exists: …', ...WEAK],
  },
  {
    name: 'keystore.deleteUser',
    summary: 'Deletes a user with all keys.',
    deprecated: true,
    params: USER,
    result: EMPTY,
    errors: [...NAME, "user doesn't exist: …", 'incorrect password: user "…"'],
  },
  {
    name: 'keystore.exportUser',
    summary: 'Shows a user as an encrypted blob that other nodes import.',
    deprecated: true,
    params: [...USER, ENCODING],
    result: object({ user: text('The blob.'), encoding: text('As asked.') }),
    errors: [...NAME, 'incorrect password: user "…"'],
  },
  {
    name: 'keystore.importUser',
    summary: 'Takes over a user that was exported. The name may be another one; the password is the same.',
    deprecated: true,
    params: [...USER, needs('user', text('The blob.')), ENCODING],
    result: EMPTY,
    errors: ["couldn't decode 'user' to bytes: …", ...NAME, 'user already exists: …', 'incorrect password: user "…"'],
  },
  {
    name: 'keystore.listUsers',
    summary: 'Names of all users, sorted.',
    deprecated: true,
    params: [],
    result: object({ users: list(text('Name.')) }),
  },
]
