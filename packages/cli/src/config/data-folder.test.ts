import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type DataFolderState, inspectDataFolder } from './data-folder.ts'

const top = mkdtempSync(join(tmpdir(), 'bridle-folder-'))
writeFileSync(join(top, 'file'), '')
symlinkSync('nowhere', join(top, 'dangling'))
afterAll(() => rmSync(top, { recursive: true }))

test.each<[string, DataFolderState]>([
  ['', { state: 'free' }],
  ['new/d', { state: 'absent' }],
  ['file', { state: 'unusable', why: 'it is not a folder' }],
  ['file/d', { state: 'unusable', why: `${join(top, 'file')} is not a folder` }],
  ['dangling', { state: 'unusable', why: 'it is a link to a folder that is not there' }],
])('[C372] the state of a data folder "%s"', (name, expected) => {
  expect(inspectDataFolder(join(top, name))).toEqual(expected)
})

// Only Linux has such a file system everywhere.
test.runIf(existsSync('/proc/self'))(
  '[C372] a folder that cannot be made below /proc is not called one that will be made',
  () => {
    expect(inspectDataFolder('/proc/bridle/data')).toEqual({ state: 'unusable', why: '/proc takes no folders' })
  },
)
