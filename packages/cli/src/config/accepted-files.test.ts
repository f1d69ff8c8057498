// Settings that changed while a session worked in place: they are read when a person has confirmed them, and not before.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetTrustedFiles, trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { questionLines } from '../commands/dev.ts'
import { acceptFiles } from './accepted-files.ts'
import { withEnvFile } from './env-file.ts'
import { serverSettings } from './settings.ts'

const before = process.env
let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-accept-')))
  process.env = { ...before }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterEach(() => {
  process.env = before
  restart()
  rmSync(folder, { recursive: true, force: true })
})

const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
/** A command is a process, which reads the record anew. */
const restart = () => {
  for (const data of ['.bridle', 'elsewhere']) forgetTrustedFiles(join(folder, data))
}
const accept = (...files: string[]) =>
  acceptFiles({ accept: files.map((file) => join(folder, file)), data: join(folder, '.bridle') })
const refused = { code: 1, message: expect.stringMatching(/changed while a session worked in place.*--accept/) }

/** Writes files as an agent does while the server of the folder runs. */
const during = (changes: Readonly<Record<string, string>>, data = '.bridle') => {
  const trust = trustedFiles(join(folder, data))
  trust.own([])
  for (const file of Object.keys(changes)) trust.check(join(folder, file), readFileSync(join(folder, file)))
  const end = trust.begin(folder)
  for (const [file, text] of Object.entries(changes)) write(file, text)
  end()
  restart()
}
const CONFIG = `import { port } from './port.ts'\nexport default { port }\n`

test('[C390] settings that were confirmed, three at once, are read', async () => {
  write('port.ts', 'export const port = 4400\n')
  write('bridle.config.ts', CONFIG)
  write('.env', 'SHOP=1\n')
  during({ 'port.ts': 'export const port = 4500\n', 'bridle.config.ts': `${CONFIG}// more\n`, '.env': 'SHOP=2\n' })
  expect(() => withEnvFile({}, folder)).toThrow(expect.objectContaining(refused))
  accept('.env', 'port.ts', 'bridle.config.ts')
  restart()
  expect(withEnvFile({}, folder)).toEqual({ SHOP: '2' })
  expect(await serverSettings({}, {}, folder)).toMatchObject({ port: 4500 })
})

test('[C390] a data folder that .env names has the record', async () => {
  const names = `BRIDLE_DATA=${join(folder, 'elsewhere')}\n`
  write('.env', names)
  during({ '.env': `${names}A=1\n` }, 'elsewhere')
  await expect(serverSettings({}, withEnvFile({}, folder), folder)).rejects.toMatchObject(refused)
})

test('[C390] --accept takes files that are there, and says where nothing is to be confirmed', () => {
  mkdirSync(join(folder, 'agents'))
  expect(() => accept('none.ts')).toThrow(expect.objectContaining({ code: 2 }))
  expect(() => accept('agents')).toThrow(expect.objectContaining({ code: 2 }))
  write('a.ts', '')
  expect(() => accept('a.ts')).not.toThrow()
})

test('[C374] dev asks once about all of them, with the key or with the flags', () => {
  expect(questionLines(['lib/a.ts', 'lib/b b.ts', 'c\u001b.ts'], true, 'bridle')[0]).toMatch(
    /not loaded: lib\/a\.ts, lib\/b b\.ts, .*Look at them, then press a to load them\.$/,
  )
  expect(questionLines(['lib/a.ts'], false, 'npx bridle')[0]).toContain(
    'Look at it, then start again with npx bridle dev --accept lib/a.ts.',
  )
})
