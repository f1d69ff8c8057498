// `.env`: what it sets, what wins over it, and what agents do not get of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withEnvFile } from './env-file.ts'

const before = process.env
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-env-'))
  process.env = { ...before }
})
afterEach(() => {
  process.env = before
  rmSync(folder, { recursive: true, force: true })
})
const write = (text: string) => writeFileSync(join(folder, '.env'), text)

test('[C100] the variables of .env are set, for the command and for agents', () => {
  write('# a remark\nBRIDLE_MODEL=anthropic/claude\nexport SHOP_URL="http://127.0.0.1/a b"\nEMPTY=\n')
  const env = withEnvFile({ PATH: '/bin' }, folder)
  expect(env).toEqual({
    PATH: '/bin',
    BRIDLE_MODEL: 'anthropic/claude',
    SHOP_URL: 'http://127.0.0.1/a b',
    EMPTY: '',
  })
  expect(process.env).toMatchObject({ BRIDLE_MODEL: 'anthropic/claude', SHOP_URL: 'http://127.0.0.1/a b' })
})

test('[C100] the real environment wins, also with an empty value', () => {
  write('SHOP_URL=of-the-file\nSHOP_KEY=of-the-file\nSHOP_NAME=of-the-file\n')
  process.env.SHOP_URL = 'real'
  process.env.SHOP_KEY = ''
  expect(withEnvFile(process.env, folder)).toMatchObject({ SHOP_URL: 'real', SHOP_KEY: '', SHOP_NAME: 'of-the-file' })
  expect([process.env.SHOP_URL, process.env.SHOP_KEY]).toEqual(['real', ''])
})

test('[C100] tokens and secrets of the server are for the command alone; a key that was sealed wins', () => {
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'FABRIC_HARNESS_API_TOKEN', 'BRIDLE_SECRET'])
    delete process.env[name]
  write('ANTHROPIC_API_KEY=a\nOPENAI_API_KEY=b\nFABRIC_HARNESS_API_TOKEN=c\nBRIDLE_SECRET=d\n')
  // The environment of a sealed command has the real keys, and `process.env` has not.
  const env = withEnvFile({ OPENAI_API_KEY: 'real' }, folder)
  expect(env).toEqual({
    ...{ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'real' },
    ...{ FABRIC_HARNESS_API_TOKEN: 'c', BRIDLE_SECRET: 'd' },
  })
  expect([process.env.ANTHROPIC_API_KEY, process.env.OPENAI_API_KEY]).toEqual(['a', undefined])
  expect([process.env.FABRIC_HARNESS_API_TOKEN, process.env.BRIDLE_SECRET]).toEqual([undefined, undefined])
})

test('[C100] no file, a folder of that name, and a file without a variable set nothing', () => {
  const env = { PATH: '/bin' }
  expect(withEnvFile(env, folder)).toEqual(env)
  write('just words\n')
  expect(withEnvFile(env, folder)).toEqual(env)
  rmSync(join(folder, '.env'))
  mkdirSync(join(folder, '.env'))
  expect(withEnvFile(env, folder)).toEqual(env)
})
