import { expect, it } from 'vitest'
import { DeadlineError } from '../../../src/errors.ts'
import { databaseError } from '../../../src/store/connection/database-error.ts'

it.each([
  ['57014', 'storniere Anfrage wegen Zeitüberschreitung der Anfrage'],
  ['55P03', 'storniere Anfrage wegen Zeitüberschreitung bei einer Sperre'],
])('a statement that was late (%s) is told as late, in whatever language the server speaks', (code, message) => {
  expect(databaseError(Object.assign(new Error(message), { code }))).toBeInstanceOf(DeadlineError)
})
