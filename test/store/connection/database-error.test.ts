import { expect, it } from 'vitest'
import { DeadlineError } from '../../../src/errors.ts'
import { databaseError } from '../../../src/store/connection/database-error.ts'
import { StoreUnavailableError } from '../../../src/store/index.ts'

it.each([
  ['57014', 'storniere Anfrage wegen Zeitüberschreitung der Anfrage'],
  ['55P03', 'storniere Anfrage wegen Zeitüberschreitung bei einer Sperre'],
])('a statement that was late (%s) is told as late, in whatever language the server speaks', (code, message) => {
  expect(databaseError(Object.assign(new Error(message), { code }))).toBeInstanceOf(DeadlineError)
})

it.each(['25P03', '25P04'])(
  'a connection that the server ended with its transaction (%s) is no fault of the statement',
  (code) => {
    const error = Object.assign(new Error('breche Verbindung ab wegen Zeitüberschreitung'), { code })
    expect(databaseError(error)).toBeInstanceOf(StoreUnavailableError)
  },
)

it('a full disk is told as such', () => {
  const error = Object.assign(new Error('kann Datei »base/5/1« nicht erweitern'), { code: '53100' })
  expect(databaseError(error)).toMatchObject({
    name: 'StoreUnavailableError',
    message: expect.stringMatching(/^the disk of the database is full: /),
  })
})
