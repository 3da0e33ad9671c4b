import { describe, expect, it } from 'vitest'
import { configOf } from '../config/sources.ts'
import { envExample } from './env-example.ts'

describe('.env.example', () => {
  const lines = envExample().split('\n')

  it('changes nothing as it stands', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([])
    expect(configOf({ dotenv: envExample() })).toEqual(configOf())
  })

  it('shows the defaults: uncommented it changes nothing either', () => {
    const settings = lines.filter((line) => /^#FIRN_\w+=./.test(line) && !line.startsWith('#FIRN_CONFIG='))
    expect(settings.length).toBeGreaterThan(50)
    expect(configOf({ dotenv: settings.map((line) => line.slice(1)).join('\n') })).toEqual(configOf())
  })
})
