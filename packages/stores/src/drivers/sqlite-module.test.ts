import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.restoreAllMocks())

test('the notice that SQLite is an experiment is left out; another warning passes, and the way of warnings stays', async () => {
  const sqlite = process.getBuiltinModule('node:sqlite')
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')
    process.emitWarning('The disk is old', 'DiskWarning')
    return sqlite
  })
  vi.resetModules()
  const before = process.emitWarning
  const { DatabaseSync } = await import('./sqlite-module.ts')
  expect(DatabaseSync).toBe(sqlite.DatabaseSync)
  expect(emitWarning.mock.calls).toEqual([['The disk is old', 'DiskWarning']])
  expect(process.emitWarning).toBe(before)
})
