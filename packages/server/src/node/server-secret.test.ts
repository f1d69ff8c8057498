// The secret of a server on Node.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveSecret, serverSecret } from '@bridle/runners/secrets/server-secret'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HarnessServer } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-secret-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('[O22] is made once, for its owner alone, and is the same ever after', () => {
  const secret = serverSecret(folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect([serverSecret(folder), readFileSync(join(folder, 'secret'), 'utf8')]).toEqual([secret, secret])
  if (process.platform !== 'win32') expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)
  writeFileSync(join(folder, 'secret'), 'x')
  expect(() => serverSecret(folder)).toThrow('is damaged')
})

test('[O22] is BRIDLE_SECRET where that is set; a short one is refused', async () => {
  const given = 'a secret of an operator, long enough'
  expect(serverSecret(folder, { BRIDLE_SECRET: given })).toBe(given)
  expect(serverSecret(folder, { BRIDLE_SECRET: '' })).toMatch(/^[0-9a-f]{64}$/)
  for (const short of ['x', 'open', 'thirty-one characters, and not 2'.slice(0, 31)])
    await expect(
      HarnessServer.start({ port: 0, data: join(folder, 'data'), env: { BRIDLE_SECRET: short }, log: () => {} }),
    ).rejects.toThrow(`BRIDLE_SECRET has ${short.length} characters and needs at least 32.`)
  // The folder was given free again.
  const server = await HarnessServer.start({
    ...{ port: 0, data: join(folder, 'data'), env: { BRIDLE_SECRET: given }, log: () => {} },
  })
  await server.close()
})

test('[O22] tokens of other callers are no part of it', async () => {
  const secrets = []
  for (const [index, authToken] of ['same', 'same', 'other'].entries()) {
    const data = join(folder, String(index))
    const server = await HarnessServer.start({ port: 0, data, authToken, log: () => {} })
    await server.close()
    secrets.push(serverSecret(data))
  }
  expect(new Set(secrets).size).toBe(3)
  expect(new Set(secrets.map((secret) => deriveSecret(secret, 'run', 'a'))).size).toBe(3)
})
