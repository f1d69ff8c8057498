import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { engineFolders, entryCommand, entryFiles, runnerCommand } from './runner-command.ts'

test('our own runner is started as we are: from source with its condition', () => {
  const [node = '', signals, condition, main = '', ...rest] = runnerCommand()
  expect([existsSync(node), signals, condition, existsSync(main), rest]).toEqual([
    true,
    '--disable-sigusr1',
    '--conditions=bridle-source',
    true,
    ['runner'],
  ])
  expect(main.endsWith(join('cli', 'src', 'main.ts'))).toBe(true)
})

test('the first program of a sandbox and its Node are shown there, and nothing else of ours', () => {
  const [node = '', , entry = '', ...rest] = entryCommand([1, 2], { uid: 5, gid: 6 }, '/work')
  expect(rest).toEqual(['1,2', '5:6', '/work'])
  const shown = entryFiles()
  for (const file of [node, entry])
    expect(shown.some((each) => file === each || file.startsWith(`${each}/`))).toBe(true)
  expect(shown.filter((each) => each.endsWith('.json'))).toHaveLength(1)
  expect(shown.some((each) => existsSync(join(each, 'valibot')))).toBe(false)
})

test('of an engines folder only its packages are shown, and those above it', () => {
  const modules = join(import.meta.dirname.split('/packages/')[0] ?? '', 'node_modules')
  expect(engineFolders(dirname(modules))[0]).toBe(modules)
  expect(engineFolders(join(dirname(modules), 'docs'))[0]).toBe(modules)
  for (const folder of engineFolders(dirname(modules))) expect(folder.endsWith('node_modules')).toBe(true)
})

test('an engine that is a link shows the folder where it is, and the packages beside it', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-linked-')))
  const [project, elsewhere] = [join(folder, 'project'), join(folder, 'elsewhere')]
  const scope = join('node_modules', '@anthropic-ai')
  const engine = join(elsewhere, scope, 'claude-agent-sdk')
  mkdirSync(engine, { recursive: true })
  mkdirSync(join(project, scope), { recursive: true })
  symlinkSync(engine, join(project, scope, 'claude-agent-sdk'))
  const shown = engineFolders(project).filter((each) => each.startsWith(folder))
  rmSync(folder, { recursive: true })
  expect(shown).toEqual([join(project, 'node_modules'), engine, join(elsewhere, 'node_modules')])
})
