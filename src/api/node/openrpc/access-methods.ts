import { EMPTY, list, type Method, may, needs, object, ref, text } from './parts.ts'

const WEAK = ['empty password', 'password exceeds maximum length of 1024 chars', 'password is too weak']
const CHANGED = {
  oneOf: [EMPTY, object({ success: { type: 'boolean' } })],
  description: 'An empty object; with `success` if the server was started with --api-auth-password.',
}

export const AUTH: readonly Method[] = [
  {
    name: 'auth.newToken',
    summary: 'Creates an access token for the given endpoints; `*` means all. It is valid for 12 hours.',
    params: [
      needs('password', text('The token password.')),
      needs('endpoints', list(text('Grants access to paths that end in this text.'), '1 to 128 endpoints.')),
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
    summary: 'Revokes a token; an invalid one is ignored.',
    params: [needs('password', text('The token password.')), needs('token', text('The token.'))],
    result: CHANGED,
    errors: ['auth token not provided', 'empty password', 'incorrect password'],
  },
  {
    name: 'auth.changePassword',
    summary: 'Changes the password. All earlier tokens become invalid.',
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
  needs('password', text('At most 1024 bytes; must be strong when a user is created.')),
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
    summary: 'Exports a user as an encrypted blob that other nodes can import.',
    deprecated: true,
    params: [...USER, ENCODING],
    result: object({ user: text('The blob.'), encoding: text('As asked.') }),
    errors: [...NAME, 'incorrect password: user "…"'],
  },
  {
    name: 'keystore.importUser',
    summary: 'Imports an exported user. The name may differ; the password must be the same.',
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
