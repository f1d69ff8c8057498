import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWorkspace } from './workspace-option.ts'

test('[C140] a folder is named from where the caller is', () => {
  const cwd = process.cwd()
  expect(readWorkspace({}, {})).toBeNull()
  expect(readWorkspace({ workspace: '.' }, {})).toEqual({ mode: 'write', source: cwd })
  expect(readWorkspace({ workspace: 'a/../b' }, {})).toEqual({ mode: 'write', source: join(cwd, 'b') })
  expect(readWorkspace({ workspace: '/srv/app' }, {})).toEqual({ mode: 'write', source: '/srv/app' })
  const checkout = { npm_lifecycle_event: 'bridle', INIT_CWD: '/home/ann/app' }
  expect(readWorkspace({ workspace: '.' }, checkout)?.source).toBe('/home/ann/app')
  // Another script of npm starts in the folder that its user means.
  expect(readWorkspace({ workspace: '.' }, { ...checkout, npm_lifecycle_event: 'dev' })?.source).toBe(cwd)
})

test.each(['in-place', 'in_place'])('[C140] %s is the folder itself', (mode) => {
  expect(readWorkspace({ workspace: '/a', 'workspace-mode': mode }, {})).toEqual({ mode: 'in_place', source: '/a' })
})

test.each([
  [{ workspace: '.', 'workspace-mode': 'copy' }, '--workspace-mode is "copy"; it may be write or in-place.'],
  [{ workspace: '.', 'workspace-mode': 'toString' }, '--workspace-mode is "toString"; it may be write or in-place.'],
  [{ 'workspace-mode': 'write' }, '--workspace-mode needs --workspace FOLDER.'],
])('[C140] %j is a usage error', (flags, message) => {
  expect(() => readWorkspace(flags, {})).toThrow(message)
})
