import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './folder-lock.ts'

const top = mkdtempSync(join(tmpdir(), 'bridle-folder-'))
writeFileSync(join(top, 'file'), '')
mkdirSync(join(top, 'folder'))
symlinkSync('folder', join(top, 'link'))
symlinkSync('nowhere', join(top, 'dangling'))
afterAll(() => rmSync(top, { recursive: true }))

test.each([
  ['file', 'it is not a folder'],
  ['file/d', `${join(top, 'file')} is not a folder`],
  ['file/d/e', `${join(top, 'file')} is not a folder`],
  ['dangling', 'it is a link to a folder that is not there'],
  ['dangling/d', `${join(top, 'dangling')} is a link to a folder that is not there`],
])('[C372] a data folder %s is refused with the reason', (name, why) => {
  const path = join(top, name)
  expect(() => makeFolder(path)).toThrow(
    `The folder ${path} cannot be used: ${why}. Choose another folder with the setting data (--data).`,
  )
})

// Only Linux has such a file system everywhere.
test.runIf(existsSync('/proc/self'))(
  '[C372] a data folder where no folder can be made is refused, and not tried for ever',
  () => {
    for (const path of ['/proc/bridle', '/proc/bridle/data/d'])
      expect(() => makeFolder(path)).toThrow(
        'The folder /proc/bridle cannot be used: /proc takes no folders. Choose another folder with the setting data (--data).',
      )
  },
)

test.each(['folder', 'link', 'folder/new/d', 'link/newer'])(
  'a data folder %s is made where it is not there',
  (name) => {
    makeFolder(join(top, name))
    expect(statSync(join(top, name)).isDirectory()).toBe(true)
  },
)
