import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { engineFolders, runnerCommand, runnerFolders } from './runner-command.ts'

test('our own runner is started as we are: from source with its condition', () => {
  const [node = '', signals, condition, main = '', ...rest] = runnerCommand()
  expect([existsSync(node), signals, condition, existsSync(main), rest]).toEqual([
    true,
    '--disable-sigusr1',
    '--conditions=source',
    true,
    ['runner', '--port', '0'],
  ])
  expect(main.endsWith(join('cli', 'main.ts'))).toBe(true)
})

test('what it needs is shown, and no folder above it', () => {
  const folders = runnerFolders()
  const [node = '', , , main = ''] = runnerCommand()
  for (const file of [node, main])
    expect(folders.some((folder) => file === folder || file.startsWith(`${folder}/`))).toBe(true)
  const modules = folders.find((folder) => existsSync(join(folder, 'valibot'))) ?? ''
  expect(modules.endsWith('node_modules')).toBe(true)
  expect(folders).not.toContain(dirname(modules))
})

test('of an engines folder only its packages are shown, and those above it', () => {
  const modules = runnerFolders().find((folder) => existsSync(join(folder, 'valibot'))) ?? ''
  expect(engineFolders(dirname(modules))[0]).toBe(modules)
  expect(engineFolders(join(dirname(modules), 'docs'))[0]).toBe(modules)
  for (const folder of engineFolders(dirname(modules))) expect(folder.endsWith('node_modules')).toBe(true)
})
